"""Episodes as their trainers saw them, and what must be true of each whatever died meanwhile."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

from .cases import EpisodePlan
from .killer import Pulse
from .stacks import Rows, Stack, differences
from .trainers import Answer, Trainer, all_kinds

AT_ONCE = 16
#: The largest share of worlds that may be collected before they are read. No more than 64 layers wait for their ten
#: seconds, the oldest go first, and a start near the end of a solution leaves one for each of its ten to fifty calls.
#: So after one to six such episodes the next to end may lose its own, and how many do depends on the machine. The share
#: guards against comparing no worlds at all; hash chains are compared of every episode, read or not.
MOST_COLLECTED = 0.5


@dataclass
class Played:
    """An episode that came to its end: what was sent, what was answered, and what its world holds."""

    case: EpisodePlan
    answers: list[Answer]
    actions: list[Any] = field(default_factory=list)
    trace: list[dict[str, Any]] = field(default_factory=list)
    world: Rows | None = None

    @property
    def episode_id(self) -> str:
        """Its id."""
        return str(self.answers[0].metadata["episode_id"])

    @property
    def before(self) -> int:
        """The steps that were played before it."""
        return int(self.answers[0].observation["step"])

    @property
    def outcome(self) -> dict[str, Any]:
        """How it ended, as its trainer was told."""
        told = self.answers[-1].metadata
        return {key: told[key] for key in ("success", "episode_return", "invalid", "trace_hash")}

    @property
    def hashes(self) -> list[str]:
        """The chain of its records."""
        return [record["hash"] for record in self.trace]


async def play(stack: Stack, case: EpisodePlan, trainer: Trainer, pulse: Pulse) -> Played:
    """Play an episode to its end and look at what is left of it."""
    played = Played(case, [await trainer.reset(case.options)])
    agent = case.agent()
    agent.start(played.answers[-1].observation)
    while not played.answers[-1].done:
        played.actions.append(agent.act(played.answers[-1].observation))
        played.answers.append(await trainer.step(played.actions[-1], played.before + len(played.actions)))
        await pulse.beat()
    played.trace = await stack.get(f"/episodes/{played.episode_id}/trace")
    played.world = await stack.world_of(played.episode_id)
    return played


async def play_each(stack: Stack, cases: Sequence[EpisodePlan]) -> dict[EpisodePlan, Played]:
    """Play every case once, so many at a time."""
    waiting, played = iter(cases), {}

    async def work(trainer: Trainer) -> None:
        for case in waiting:
            played[case] = await play(stack, case, trainer, Pulse())
        await trainer.close()

    await asyncio.gather(*(work(trainer) for trainer in all_kinds(stack.url, AT_ONCE)))
    return played


async def play_until(
    over: asyncio.Event, stack: Stack, cases: Sequence[EpisodePlan], pulse: Pulse
) -> list[Played]:
    """Play the cases over and over, so many at a time; what has begun when it is over is played to its end."""
    played: list[Played] = []

    async def work(trainer: Trainer, mine: Iterator[EpisodePlan]) -> None:
        while not over.is_set():
            played.append(await play(stack, next(mine), trainer, pulse))
        await trainer.close()

    endless = cycle(cases)
    await asyncio.gather(*(work(trainer, endless) for trainer in all_kinds(stack.url, AT_ONCE)))
    return played


def wrongs(played: Played, undisturbed: Played) -> list[str]:
    """Return what is wrong with an episode, next to the same one played in peace."""
    case = played.case
    found = [f"{case}: {wrong}" for wrong in _unlike_its_trace(played)]
    if played.outcome != undisturbed.outcome:
        found.append(f"{case}: ended {played.outcome}, in peace {undisturbed.outcome}")
    if played.hashes != undisturbed.hashes:
        found.append(f"{case}: another trace than in peace")
    return found + [f"{case}: {wrong}" for wrong in differences(played.world, undisturbed.world)]


def _unlike_its_trace(played: Played) -> Iterator[str]:
    """Yield where what was answered is not what was recorded: a step lost, doubled or changed."""
    records, steps = played.trace[1 + played.before :], len(played.actions)
    if [record["step"] for record in records] != list(range(played.before + 1, played.before + steps + 1)):
        yield f"{steps} steps were answered, {len(records)} recorded"
    for answer, record in zip(played.answers[1:], records, strict=False):
        for name, told, kept in (
            ("reward", answer.reward, record["reward"]),
            # A socket's observation has a field of its own besides.
            ("observation", answer.observation, {**answer.observation, **record["observation"]}),
            ("end", answer.done, record["done"]),
            ("hash", answer.metadata["trace_hash"], record["hash"]),
            ("return", answer.metadata["episode_return"], record["return"]),
        ):
            if told != kept:
                yield f"step {record['step']}: another {name} was recorded than answered"
