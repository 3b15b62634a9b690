"""Plays episodes in batches: an oracle's to learn from, and those of a policy."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from companyos.client import Result
from companyos.client.batch import CompanyosBatch
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import find

#: Arguments that no policy gives: one that plays each call once needs no keys.
UNUSED: Final = frozenset({"idempotency_key"})
#: The fields of an observation that a policy reads.
_READ = ("text", "tools", "result", "error", "sim_now", "brief", "prefix")


@dataclass
class RolloutTurn:
    """A call and its result.

    Attributes:
        kind: `call_kind` of the step's metadata, such as `done` or `bad_arguments`.
    """

    action: Mapping[str, Any]
    observation: Mapping[str, Any]
    reward: float
    kind: str


@dataclass
class Rollout:
    """An episode from its reset to its end.

    Attributes:
        options: Those of the reset.
        slot: The number of the episode in its batch.
        start: The observation of the reset.
        success: Whether the task was solved; None if the environment failed, so that the episode must not count.
    """

    options: Mapping[str, Any]
    slot: int
    start: Mapping[str, Any]
    turns: list[RolloutTurn] = field(default_factory=list)
    success: bool | None = False

    @property
    def episode_return(self) -> float:
        """The sum of the rewards, without the -1e-16 that those which cancel out leave."""
        return round(sum(turn.reward for turn in self.turns), 12) + 0.0


#: Chooses the next action of each of the given episodes.
Act = Callable[[Sequence[Rollout]], Sequence[Mapping[str, Any]]]


def play(batch: CompanyosBatch, options: Sequence[Mapping[str, Any]], act: Act) -> list[Rollout]:
    """Play one episode for each set of reset options, as many at once as the batch has, each group to its end."""
    episodes: list[Rollout] = []
    for begun in resets(batch, options):
        group = [Rollout(each, slot, _read(result)) for slot, (each, result) in enumerate(begun)]
        _play_to_end(batch, group, act)
        episodes += group
    return episodes


def resets(
    batch: CompanyosBatch, options: Sequence[Mapping[str, Any]]
) -> Iterator[list[tuple[Mapping[str, Any], Result]]]:
    """Begin episodes, as many at once as the batch has, and yield each group with its options."""
    width = len(batch.episode_ids)
    for first in range(0, len(options), width):
        chunk = options[first : first + width]
        begun = [
            result for result in batch.reset([*chunk, *[None] * (width - len(chunk))]) if result is not None
        ]
        yield list(zip(chunk, begun, strict=True))


def play_oracle(batch: CompanyosBatch, options: Sequence[Mapping[str, Any]]) -> list[Rollout]:
    """Play episodes with the scenarios' oracles."""
    oracles: dict[int, Oracle] = {}

    def act(episodes: Sequence[Rollout]) -> list[Mapping[str, Any]]:
        actions: list[Mapping[str, Any]] = []
        for episode in episodes:
            if not episode.turns:
                oracle = oracles[id(episode)] = Oracle(find(episode.options["scenario"]))
                oracle.start(episode.start)
            latest = episode.turns[-1].observation if episode.turns else episode.start
            actions.append(oracles[id(episode)].act(latest))
        return actions

    return play(batch, options, act)


def _play_to_end(batch: CompanyosBatch, group: Sequence[Rollout], act: Act) -> None:
    open_ones = dict(enumerate(group))
    while open_ones:
        actions = dict(zip(open_ones, act(list(open_ones.values())), strict=True))
        for index, result in batch.step(actions).items():
            episode = group[index]
            kind = str(result.metadata.get("call_kind"))
            episode.turns.append(RolloutTurn(actions[index], _read(result), result.reward or 0.0, kind))
            if result.done:
                episode.success = None if result.metadata["invalid"] else bool(result.metadata["success"])
                del open_ones[index]


def _read(result: Result) -> dict[str, Any]:
    return {name: result.observation[name] for name in _READ if name in result.observation}
