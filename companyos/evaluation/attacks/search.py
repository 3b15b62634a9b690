"""The search of one family: loops along an oracle's episodes, early endings, extra acts, then open-loop plans."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Scenario

from .branches import Branch, Trainer
from .endings import EndedPlan, EndingSearch
from .extra_acts import ExtraActSearch, Extras
from .logs import OracleLog, recorded
from .loops import Loop, LoopDraws, LoopResult, repeated
from .plans import PlanScore, PlanSearch, starts_of
from .plausible import PlausibleCalls


@dataclass(frozen=True)
class Effort:
    """How much a search tries on a family.

    Attributes:
        logs: Seeds whose oracle logs plans are made from, counted from 0.
        looped: How many of these seeds have episodes that loops branch from.
        points: Points of each such episode.
        loops: Loops at each point.
        starts: Whole logs that plans climb from.
        pairs: Pairs of other seeds that plans are scored on.
        rounds: Rounds of climbing.
        children: Changed plans in each round.
        first_held_out: The first seed of the pairs, even.
        ended: How many of the looped seeds have episodes that are ended early, in every way.
        calls: Calls at the start of each such episode of which all short plans are made.
        longest: The most calls of a short plan.
        walks: Points of each such episode from which a longer plan is drawn; with none, it is not played along.
        extra: How many of the seeds have episodes with extra acts.
        acts: Extra acts in each such episode.
        variants: Honest variants of each such episode.
    """

    logs: int = 8
    looped: int = 2
    points: int = 6
    loops: int = 12
    starts: int = 4
    pairs: int = 2
    rounds: int = 24
    children: int = 4
    first_held_out: int = 100_000
    ended: int = 1
    calls: int = 7
    longest: int = 3
    walks: int = 6
    extra: int = 2
    acts: int = 60
    variants: int = 9

    @property
    def held_out(self) -> range:
        """The seeds that plans are scored on."""
        return range(self.first_held_out, self.first_held_out + 2 * self.pairs)

    @property
    def planned(self) -> int:
        """The number of work items: episodes, points of them, the start of the climb, and its rounds."""
        along = self.looped * self.points + 2 * self.ended + self.extra
        return self.logs + 2 * self.pairs + along + 1 + self.rounds


@dataclass(frozen=True)
class AttackProgress:
    """The progress of a family's search."""

    scenario: str
    finished: int
    planned: int


@dataclass
class Attacks:
    """What a search tried, with the results.

    Attributes:
        oracle: The oracle's episodes on the seeds that plans are scored on.
        short: All short plans, ended in every way.
        walked: Parts of the oracle's episodes and drawn plans from there, ended in every way.
        extras: Extra acts and honest variants.
    """

    scenario: Scenario
    effort: Effort
    loops: list[LoopResult] = field(default_factory=list)
    oracle: list[OracleLog] = field(default_factory=list)
    short: list[EndedPlan] = field(default_factory=list)
    walked: list[EndedPlan] = field(default_factory=list)
    extras: Extras = field(default_factory=Extras)
    best: PlanScore | None = None
    plans: Sequence[PlanScore] = ()


TellAttack = Callable[[AttackProgress], None]


async def search_attacks(
    trainer: Trainer, scenario: Scenario, effort: Effort, *, tell: TellAttack | None = None
) -> Attacks:
    """Search one family for attacks; the same effort on the same scenario gives the same result."""
    work = _Work(scenario.name, effort.planned, tell)
    found = Attacks(scenario, effort)
    logs = await _logs(trainer, scenario, range(effort.logs), work)
    found.oracle = await _logs(trainer, scenario, effort.held_out, work)
    draws = Draws("companyos-attacks", scenario.name, scenario.version)
    for log in logs[: effort.looped]:
        found.loops += await _loops_of(trainer, log, found, draws, work)
    for log in logs[: effort.ended]:
        ending = EndingSearch(trainer, scenario.name, log, draws)
        found.short += await ending.all_plans(effort.calls, effort.longest)
        work.done()
        found.walked += await ending.along(effort.walks)
        work.done()
    found.extras = await _extras_of(trainer, logs[: effort.extra], found, draws, work)
    await _climbed(trainer, logs, found, draws, work)
    return found


class _Work:
    """Counts finished work items and reports progress."""

    def __init__(self, scenario: str, planned: int, tell: TellAttack | None) -> None:
        self._scenario = scenario
        self._planned = planned
        self._tell = tell
        self._finished = 0

    def done(self) -> None:
        self._finished += 1
        if self._tell is not None:
            self._tell(AttackProgress(self._scenario, self._finished, self._planned))


async def _logs(trainer: Trainer, scenario: Scenario, seeds: Sequence[int], work: _Work) -> list[OracleLog]:
    async def one(seed: int) -> OracleLog:
        log = await recorded(trainer, scenario, seed)
        work.done()
        return log

    return await asyncio.gather(*map(one, seeds))


async def _loops_of(
    trainer: Trainer, log: OracleLog, found: Attacks, draws: Draws, work: _Work
) -> list[LoopResult]:
    """Replay an oracle's log, and play loops in forks of it at regular intervals."""
    effort = found.effort
    if not (log.acts and effort.loops):
        return []
    loops = LoopDraws(draws, log, PlausibleCalls(draws, [log]))
    branch, _ = await trainer.reset(found.scenario.name, log.seed)
    points = [len(log.acts) * number // max(effort.points - 1, 1) for number in range(effort.points)]
    results: list[LoopResult] = []
    for step in range(len(log.acts) + 1):
        for _ in range(points.count(step)):
            drawn = [loops.drawn(step, len(results) + number) for number in range(effort.loops)]
            forks = await branch.fork(len(drawn))
            results += await asyncio.gather(
                *(_in_a_fork(fork, loop) for fork, loop in zip(forks, drawn, strict=True))
            )
            work.done()
        if step < len(log.acts):
            await branch.step(log.acts[step])
    await branch.close()
    return results


async def _extras_of(
    trainer: Trainer, logs: Sequence[OracleLog], found: Attacks, draws: Draws, work: _Work
) -> Extras:
    effort, total = found.effort, Extras()
    for log in logs:
        search = ExtraActSearch(trainer, found.scenario, log, draws)
        extras = await search.play(effort.acts, effort.variants)
        total.acts += extras.acts
        total.variants += extras.variants
        work.done()
    return total


async def _in_a_fork(fork: Branch, loop: Loop) -> LoopResult:
    result = await repeated(fork, loop)
    await fork.close()
    return result


async def _climbed(
    trainer: Trainer, logs: Sequence[OracleLog], found: Attacks, draws: Draws, work: _Work
) -> None:
    effort = found.effort
    search = PlanSearch(trainer, found.scenario.name, logs, effort.held_out, draws)
    await search.start(starts_of(logs, effort.starts))
    work.done()
    for number in range(effort.rounds):
        await search.climb(number, effort.children)
        work.done()
    found.best, found.plans = search.best, search.scored
