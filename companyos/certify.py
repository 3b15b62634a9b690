"""Certification: agents play every scenario at the trainer door, and the report says whether it may be trusted.

All agents see what any agent sees, over HTTP. Many episodes are played at once; oracles play some of them again, alone:
the traces must be the same.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp
import orjson

from companyos.agents import (
    Agent,
    BlindPlan,
    Careful,
    DoNothing,
    Naive,
    Oracle,
    RandomPool,
    RandomSchema,
)
from companyos.baselines import Play, Player, summed_up
from companyos.casework import Task
from companyos.casework.playbook import Refused
from companyos.chaos import parse_chaos
from companyos.gates import CAREFUL_UP_TO
from companyos.journal import Journal
from companyos.scenario import Scenario, find, load_scenarios

DEFAULT_SALT: Final = "companyos-public"
#: How many seeds of each scenario and level agents play of whom no exact rate is asked: those that look at little or
#: nothing, and the careful one above the levels at which it has to cope. And how many the oracle plays again.
SEEDS_SAMPLED: Final = 200
SEEDS_AGAIN: Final = 2
_TIMEOUT_S: Final = 60.0
_BUSY: Final = (429, 503)
_PATIENCE: Final = 20
#: The agents whose success is measured, and of whose faults an account is kept.
_SEEING: Final = (Player.ORACLE, Player.NAIVE, Player.CAREFUL)
#: What agents raise who met a refusal or an answer that they have no answer to.
_AT_A_LOSS: Final = (Refused, LookupError, TypeError, ValueError, RuntimeError)


@dataclass(frozen=True)
class Progress:
    """How far a certification is: plays finished, of how many, and the latest."""

    finished: int
    planned: int
    latest: Play


@dataclass(frozen=True)
class _Part:
    """One episode to be played."""

    scenario: Scenario
    level: int
    seed: int
    player: Player


Tell = Callable[[Progress], None]


async def certify(
    url: str,
    token: str | None = None,
    *,
    seeds: Sequence[int],
    scenarios: Sequence[str] | None = None,
    levels: Sequence[int] = (0, 1),
    concurrency: int = 16,
    salt: str = DEFAULT_SALT,
    landed: int = 0,
    players: Sequence[Player] = tuple(Player),
    sample: int | None = None,
    journal: Path | None = None,
    progress: Tell | None = None,
) -> dict[str, Any]:
    """Play every scenario with every agent and return the report, which `baselines` describes.

    Args:
        url: The trainer door.
        token: Its token, if it wants one.
        seeds: Which instances; whole pairs of twins (0 and 1, 2 and 3 …) say more than halves.
        scenarios: Names of scenarios; all of them if left out.
        levels: Chaos levels.
        concurrency: How many episodes are played at once.
        salt: The salt of the server, by which blind plans know its instances.
        landed: How often every fault of the levels has to land, over everything played.
        players: Which agents play; without some of them less is proved.
        sample: How many of the seeds agents other than the oracle play at most.
        journal: A file to which every play is written; what is there already is not played again.
        progress: Told after each episode.

    Raises:
        ScenarioUnknown: A scenario that there is not.
        aiohttp.ClientError: The server is not there, or answers what it must not.
        TimeoutError: It does not answer.
    """
    chosen = [find(name) for name in scenarios] if scenarios else list(load_scenarios().values())
    versions = {scenario.name: scenario.version for scenario in chosen}
    first = list(_parts(chosen, levels, seeds, players, sample or len(seeds)))
    again = [part for part in first if part.player is Player.ORACLE and part.seed in seeds[:SEEDS_AGAIN]]
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connector, timeout = aiohttp.TCPConnector(limit=concurrency), aiohttp.ClientTimeout(total=_TIMEOUT_S)
    async with aiohttp.ClientSession(
        url, headers=headers, connector=connector, timeout=timeout, json_serialize=_json
    ) as client:
        stage = _Stage(client, salt, len(first) + len(again), Journal(journal, versions), progress)
        plays = await stage.play(first, at_once=concurrency)
        alone = await stage.play(again, at_once=1)
    return summed_up(plays, alone, versions, landed=landed)


def _parts(
    scenarios: Iterable[Scenario],
    levels: Sequence[int],
    seeds: Sequence[int],
    players: Sequence[Player],
    sample: int,
) -> Iterator[_Part]:
    """Yield what is to be played, all agents of an instance beside each other: its company is loaded once."""
    for scenario in scenarios:
        able = [player for player in players if player not in _SEEING or _can_play(player, scenario)]
        for level in levels:
            for number, seed in enumerate(seeds):
                for player in able:
                    if number < _most_seeds(player, level, sample, len(seeds)):
                        yield _Part(scenario, level, seed, player)


def _most_seeds(player: Player, level: int, sample: int, everything: int) -> int:
    """Return how many seeds an agent plays at a level."""
    if player is Player.ORACLE:
        return everything
    copes = player is Player.CAREFUL and level <= CAREFUL_UP_TO
    return sample if copes or player is Player.NAIVE else min(sample, SEEDS_SAMPLED)


def _can_play(player: Player, scenario: Scenario) -> bool:
    return player is Player.ORACLE or isinstance(scenario, Task)


class _Stage:
    """Plays parts at one server and tells how far it is."""

    def __init__(
        self,
        client: aiohttp.ClientSession,
        salt: str,
        planned: int,
        journal: Journal,
        progress: Tell | None,
    ) -> None:
        self._client = client
        self._salt = salt
        self._planned = planned
        self._journal = journal
        self._finished = 0
        self._progress = progress

    async def play(self, parts: Sequence[_Part], *, at_once: int) -> list[Play]:
        """Play all parts, so many at once, and return them in order."""
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

    async def _played(self, part: _Part, *, alone: bool) -> Play:
        """Return what is known of a play, or play it and write it down."""
        known = self._journal.find(part.scenario.name, part.level, part.seed, part.player, alone=alone)
        if known is not None:
            return known
        play = await self._episode(part)
        self._journal.keep(play, alone=alone)
        return play

    async def _episode(self, part: _Part) -> Play:
        agent = self._agent(part)
        options = {"scenario": part.scenario.name, "seed": part.seed, "chaos": part.level}
        answer = await self._post("/reset", options)
        episode_id, stuck = answer["metadata"]["episode_id"], None
        agent.start(answer["observation"])
        while not answer["done"] and stuck is None:
            try:
                action = agent.act(answer["observation"])
            except _AT_A_LOSS as trouble:
                stuck = f"{type(trouble).__name__}: {trouble}"
                continue
            step = answer["observation"]["step"] + 1
            answer = await self._post("/step", {"episode_id": episode_id, "step": step, "action": action})
        met = await self._met(part, episode_id)
        await self._patiently("DELETE", f"/episodes/{episode_id}")
        return _play(part, answer, stuck, met)

    async def _met(self, part: _Part, episode_id: str) -> tuple[tuple[str, str], ...]:
        """Return how far each fault of an episode came."""
        if part.level == 0 or part.player not in _SEEING:
            return ()
        grade = await self._patiently("GET", f"/episodes/{episode_id}/grade")
        return tuple((line["fault"], line["state"]) for line in grade["fault_account"])

    async def _post(self, path: str, body: dict[str, Any]) -> Any:
        """Send what may be sent again: a reset opens another episode, a numbered step is done once."""
        return await self._patiently("POST", path, json=body)

    async def _patiently(self, method: str, path: str, **request: Any) -> Any:
        attempt = 1
        while True:
            async with self._client.request(method, path, **request) as response:
                if response.status not in _BUSY or attempt == _PATIENCE:
                    response.raise_for_status()
                    return orjson.loads(await response.read() or b"null")
            await asyncio.sleep(0.05 * attempt)
            attempt += 1

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
            case Player.BLIND_OWN:
                return self._blind(part, part.seed)
            case Player.BLIND_TWIN:
                return self._blind(part, part.seed ^ 1)
            case Player.NAIVE:
                return Naive(_task(part.scenario).outline)
            case Player.CAREFUL:
                return Careful(_task(part.scenario).outline)

    def _blind(self, part: _Part, seed: int) -> Agent:
        instance = part.scenario.generate(seed, parse_chaos(part.level), self._salt)
        return BlindPlan(part.scenario.blind_plan(instance))


def _json(body: Any) -> str:
    return orjson.dumps(body).decode()


def _task(scenario: Scenario) -> Task:
    assert isinstance(scenario, Task)
    return scenario


def _play(part: _Part, answer: Any, stuck: str | None, met: tuple[tuple[str, str], ...]) -> Play:
    told = answer["metadata"]
    return Play(
        scenario=part.scenario.name,
        level=part.level,
        seed=part.seed,
        player=part.player,
        success=bool(told.get("success")),
        episode_return=float(told.get("episode_return", 0.0)),
        steps=answer["observation"]["step"],
        invalid=bool(told.get("invalid")),
        trace_hash=told["trace_hash"],
        stuck=stuck,
        met=met,
    )
