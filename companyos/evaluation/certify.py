"""Certification: agents play every scenario over the trainer API, and a report says whether to trust it.

Agents play over HTTP and see only what any agent sees. Many episodes run concurrently. The oracle replays
some of them alone, and the traces must be identical.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

from companyos.chaos import parse_chaos
from companyos.evaluation.acceptance import CAREFUL_UP_TO
from companyos.evaluation.agents import (
    Agent,
    Careful,
    DoNothing,
    Naive,
    OpenLoopPlan,
    Oracle,
    RandomPool,
    RandomSchema,
)
from companyos.evaluation.baselines import Play, Player, certification_report
from companyos.evaluation.checkpoint import Checkpoint
from companyos.evaluation.script_failures import ScriptFailure, script_failure
from companyos.evaluation.trainer import TrainerApi
from companyos.scenario import Observation, Scenario, find, folder_of, load_scenarios, source_digest

T = TypeVar("T")

DEFAULT_SALT: Final = "companyos-public"
#: How many seeds of each scenario and level are played by agents that have no exact required rate: those that
#: use little or no information, and the careful one above its required levels.
SEEDS_SAMPLED: Final = 200
SEEDS_AGAIN: Final = 2
#: The agents whose success is measured and whose faults are accounted for.
_SEEING: Final = (Player.ORACLE, Player.NAIVE, Player.CAREFUL)


@dataclass(frozen=True)
class Progress:
    """The progress of a certification: finished plays, the total, and the latest play."""

    finished: int
    planned: int
    latest: Play


@dataclass(frozen=True)
class _Part:
    """An episode to play."""

    scenario: Scenario
    level: int
    seed: int
    player: Player


Tell = Callable[[Progress], None]


@dataclass(frozen=True)
class Certification:
    """What a certification plays, and with which agents.

    Attributes:
        seeds: The instances to play; whole counterfactual pairs (0 and 1, 2 and 3 …) prove more than half
            pairs.
        scenarios: Names of scenarios; empty for all of them.
        levels: Chaos levels.
        players: The agents that play; fewer agents prove less.
        landed: How often every fault of the levels has to land, over all plays.
        sample: The most seeds that agents other than the oracle play.
        checkpoint: A file to which every play is written; plays already in it are not repeated, unless the
            scenario's code has changed since.
        salt: The salt of the server, which open-loop plans need to know its instances.
        concurrency: The most episodes in progress at once.
    """

    seeds: Sequence[int]
    scenarios: Sequence[str] = ()
    levels: Sequence[int] = (0, 1)
    players: Sequence[Player] = tuple(Player)
    landed: int = 0
    sample: int | None = None
    checkpoint: Path | None = None
    salt: str = DEFAULT_SALT
    concurrency: int = 16

    @cached_property
    def chosen(self) -> Sequence[Scenario]:
        """The scenarios to certify.

        Raises:
            ScenarioUnknown: A scenario does not exist.
        """
        return [find(name) for name in self.scenarios] or list(load_scenarios().values())

    @cached_property
    def versions(self) -> Mapping[str, int]:
        """The version of each scenario."""
        return {scenario.name: scenario.version for scenario in self.chosen}

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """The source digest of each scenario."""
        return {scenario.name: source_digest(folder_of(scenario)) for scenario in self.chosen}

    @cached_property
    def parts(self) -> Sequence[_Part]:
        """The episodes that are played concurrently."""
        sample = self.sample or len(self.seeds)
        return list(_parts(self.chosen, self.levels, self.seeds, self.players, sample))

    @cached_property
    def alone(self) -> Sequence[_Part]:
        """The episodes that the oracle replays, each alone."""
        again = self.seeds[:SEEDS_AGAIN]
        return [part for part in self.parts if part.player is Player.ORACLE and part.seed in again]


async def certify(
    url: str, token: str | None, wanted: Certification, *, progress: Tell | None = None
) -> dict[str, Any]:
    """Play every scenario with every agent and return the report, which `baselines` describes.

    Args:
        url: The trainer API.
        token: Its token, if it needs one.
        wanted: What to play.
        progress: Called after each episode.

    Raises:
        ScenarioUnknown: A scenario does not exist.
        NotOffered: The server does not offer a scenario, or offers another version or other code.
        CheckpointUnreadable: The checkpoint is another kind of file, or cannot be written.
        aiohttp.ClientError: The server is unreachable, or gives an invalid answer.
        TimeoutError: The server does not answer.
    """
    checkpoint = Checkpoint(wanted.checkpoint, wanted.versions, wanted.sources)
    async with TrainerApi.opened(url, token, at_once=wanted.concurrency) as api:
        stage = _Stage(api, wanted.salt, len(wanted.parts) + len(wanted.alone), checkpoint, progress)
        if not (stage.knows(wanted.parts, alone=False) and stage.knows(wanted.alone, alone=True)):
            await api.check_offered(wanted.chosen)
        plays = await stage.play(wanted.parts, at_once=wanted.concurrency)
        alone = await stage.play(wanted.alone, at_once=1)
    able = [player for player in Player if any(_can_play(player, scenario) for scenario in wanted.chosen)]
    of_all = not wanted.scenarios
    return certification_report(plays, alone, wanted.versions, landed=wanted.landed, able=able, of_all=of_all)


def _parts(
    scenarios: Iterable[Scenario],
    levels: Sequence[int],
    seeds: Sequence[int],
    players: Sequence[Player],
    sample: int,
) -> Iterator[_Part]:
    """Yield the parts to play, grouped by instance, so that each company is loaded once."""
    for scenario in scenarios:
        able = [player for player in players if _can_play(player, scenario)]
        for level in levels:
            for number, seed in enumerate(seeds):
                for player in able:
                    if number < _most_seeds(player, level, sample, len(seeds)):
                        yield _Part(scenario, level, seed, player)


def _most_seeds(player: Player, level: int, sample: int, everything: int) -> int:
    """Return the most seeds that an agent plays at a level."""
    if player is Player.ORACLE:
        return everything
    copes = player is Player.CAREFUL and level <= CAREFUL_UP_TO
    return sample if copes or player is Player.NAIVE else min(sample, SEEDS_SAMPLED)


def _can_play(player: Player, scenario: Scenario) -> bool:
    return player not in (Player.NAIVE, Player.CAREFUL) or player.value in scenario.scripts


class _Stage:
    """Plays parts at one server and reports progress."""

    def __init__(
        self,
        api: TrainerApi,
        salt: str,
        planned: int,
        checkpoint: Checkpoint,
        progress: Tell | None,
    ) -> None:
        self._api = api
        self._salt = salt
        self._planned = planned
        self._checkpoint = checkpoint
        self._finished = 0
        self._progress = progress

    def knows(self, parts: Iterable[_Part], *, alone: bool) -> bool:
        """Return whether the checkpoint has all of these plays, in which case no server is needed."""
        return all(self._known(part, alone=alone) for part in parts)

    async def play(self, parts: Sequence[_Part], *, at_once: int) -> list[Play]:
        """Play all parts, several at once, and return their plays in order."""
        played: dict[int, Play] = {}
        left = iter(enumerate(parts))

        async def seat() -> None:
            for number, part in left:
                played[number] = self._tell(await self._played(part, alone=at_once == 1))

        await asyncio.gather(*(seat() for _ in range(at_once)))
        return [played[number] for number in range(len(parts))]

    def _tell(self, play: Play) -> Play:
        self._finished += 1
        if self._progress is not None:
            self._progress(Progress(self._finished, self._planned, play))
        return play

    def _known(self, part: _Part, *, alone: bool) -> Play | None:
        return self._checkpoint.find(part.scenario.name, part.level, part.seed, part.player, alone=alone)

    async def _played(self, part: _Part, *, alone: bool) -> Play:
        """Return a play from the checkpoint, or play the part and record it."""
        known = self._known(part, alone=alone)
        if known is not None:
            return known
        play = await self._episode(part)
        self._checkpoint.keep(play, alone=alone)
        return play

    async def _episode(self, part: _Part) -> Play:
        agent = self._agent(part)
        options = {"scenario": part.scenario.name, "seed": part.seed, "chaos": part.level}
        answer = await self._api.send("POST", "/reset", options)
        episode_id = answer["metadata"]["episode_id"]
        failure = _tried(part, agent.start, answer["observation"])
        while not answer["done"] and failure is None:
            action = _tried(part, agent.act, answer["observation"])
            if isinstance(action, ScriptFailure):
                failure = action
                continue
            step = answer["observation"]["step"] + 1
            body = {"episode_id": episode_id, "step": step, "action": action}
            answer = await self._api.send("POST", "/step", body)
        met = await self._met(part, episode_id)
        await self._api.send("DELETE", f"/episodes/{episode_id}")
        return _play(part, answer, failure, met)

    async def _met(self, part: _Part, episode_id: str) -> tuple[tuple[str, str], ...]:
        """Return the last state that each fault of an episode reached."""
        if part.level == 0 or part.player not in _SEEING:
            return ()
        grade = await self._api.send("GET", f"/episodes/{episode_id}/grade")
        return tuple((line["fault"], line["state"]) for line in grade["fault_account"])

    def _agent(self, part: _Part) -> Agent:
        match part.player:
            case Player.ORACLE:
                return Oracle(part.scenario)
            case Player.DO_NOTHING:
                return DoNothing()
            case Player.RANDOM_POOL:
                return RandomPool(part.seed)
            case Player.RANDOM_SCHEMA:
                return RandomSchema(part.seed)
            case Player.OPEN_LOOP_OWN:
                return self._open_loop(part, part.seed)
            case Player.OPEN_LOOP_OTHER:
                return self._open_loop(part, part.seed ^ 1)
            case Player.NAIVE:
                return Naive(part.scenario)
            case Player.CAREFUL:
                return Careful(part.scenario)

    def _open_loop(self, part: _Part, seed: int) -> Agent:
        instance = part.scenario.generate(seed, parse_chaos(part.level), self._salt)
        return OpenLoopPlan(part.scenario.open_loop_plan(instance))


def _tried(part: _Part, does: Callable[[Observation], T], observation: Observation) -> T | ScriptFailure:
    try:
        return does(observation)
    except Exception as failure:  # noqa: BLE001 - the author's script may raise anything, which is reported
        return script_failure(failure, part.scenario)


def _play(part: _Part, answer: Any, failure: ScriptFailure | None, met: tuple[tuple[str, str], ...]) -> Play:
    metadata = answer["metadata"]
    return Play(
        scenario=part.scenario.name,
        level=part.level,
        seed=part.seed,
        player=part.player,
        success=bool(metadata.get("success")),
        episode_return=float(metadata.get("episode_return", 0.0)),
        steps=answer["observation"]["step"],
        invalid=bool(metadata.get("invalid")),
        trace_hash=metadata["trace_hash"],
        stuck=failure.reason if failure else None,
        crashed=failure is not None and failure.crashed,
        met=met,
    )
