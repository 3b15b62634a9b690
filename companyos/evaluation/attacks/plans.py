"""Open-loop plans: hill climbing from the logs of an oracle to the plan that earns most without observations.

A plan is scored by its mean return over pairs of seeds that are in none of the logs. The same seeds select
the plan, so the score is biased in the attacker's favor. A failed ending takes every milestone back, so
returns alone give the climb no slope between finishing at once and success. Every other round therefore
climbs by what a plan gained before its last action.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, Final

from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Action, call

from .branches import Trainer
from .logs import ENDS, OracleLog
from .plausible import PlausibleCalls

Plan = tuple[Action, ...]

#: The most actions of a plan.
LONGEST: Final = 250
_WAIT: Final = call("wait", seconds=86_400)


@dataclass(frozen=True)
class PlanPlay:
    """A plan played on one seed.

    Attributes:
        gained: The sum of the rewards above zero before the last action.
        flaws: What the grade card of a success holds against it; with any flaw the success is false.
    """

    seed: int
    episode_return: float
    gained: float
    success: bool
    flaws: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlanScore:
    """A plan and its results on every seed of the pairs."""

    plan: Plan
    plays: tuple[PlanPlay, ...]

    @property
    def mean_return(self) -> float:
        """The mean return."""
        return fsum(play.episode_return for play in self.plays) / len(self.plays)

    @property
    def mean_gained(self) -> float:
        """The mean of the rewards above zero before the last action."""
        return fsum(play.gained for play in self.plays) / len(self.plays)

    @property
    def solved(self) -> Sequence[int]:
        """The seeds on which it succeeded."""
        return [play.seed for play in self.plays if play.success]

    @property
    def pairs(self) -> Sequence[int]:
        """The pairs whose two seeds it both solved."""
        return [seed // 2 for seed in self.solved if seed % 2 == 0 and seed + 1 in self.solved]


class PlanSearch:
    """Searches for the best plan by hill climbing from the logs of an oracle.

    Args:
        trainer: Starts the episodes that score plans.
        scenario: The name of the family.
        logs: The oracle's episodes.
        seeds: Whole pairs of other seeds.
        draws: The source of every choice.
    """

    def __init__(
        self,
        trainer: Trainer,
        scenario: str,
        logs: Sequence[OracleLog],
        seeds: Sequence[int],
        draws: Draws,
    ) -> None:
        self._trainer = trainer
        self._scenario = scenario
        self._seeds = seeds
        self._mutations = PlanMutations(logs, draws)
        self._ending = _finish_of(logs)
        self.scored: list[PlanScore] = []

    async def start(self, plans: Sequence[Plan]) -> None:
        """Score the plans to climb from."""
        await self._score(plans)

    async def climb(self, number: int, children: int) -> None:
        """Score changes to the best plan, or in every other round to the one that gained most."""
        parent = self.furthest if number % 2 else self.best
        await self._score([self._mutations.changed(parent.plan, number, child) for child in range(children)])

    @property
    def best(self) -> PlanScore:
        """The plan that earns most; the latest among equals, so that the search drifts across plateaus."""
        return max(reversed(self.scored), key=lambda score: score.mean_return)

    @property
    def furthest(self) -> PlanScore:
        """The plan that gained most; the latest among equals."""
        return max(reversed(self.scored), key=lambda score: score.mean_gained)

    async def _score(self, plans: Sequence[Plan]) -> None:
        tried = {repr(score.plan) for score in self.scored}
        fresh = {repr(plan): plan for plan in map(ended, plans) if repr(plan) not in tried}
        self.scored += await asyncio.gather(*map(self._scored, fresh.values()))

    async def _scored(self, plan: Plan) -> PlanScore:
        plays = await asyncio.gather(*(self._play(plan, seed) for seed in self._seeds))
        return PlanScore(plan, tuple(plays))

    async def _play(self, plan: Plan, seed: int) -> PlanPlay:
        branch, last = await self._trainer.reset(self._scenario, seed)
        rewards = [0.0]
        for action in (*plan, self._ending, *[_WAIT] * last.observation["steps_remaining"]):
            if last.done:
                break
            last = await branch.step(action)
            rewards.append(last.reward)
        flaws = flaws_of(await branch.grade()) if last.success else ()
        await branch.close()
        gained = fsum(reward for reward in rewards[:-1] if reward > 0)
        return PlanPlay(seed, last.episode_return, gained, last.success, flaws)


class PlanMutations:
    """Changes a plan: drops, swaps, doubles or inserts actions, or takes arguments from another log."""

    def __init__(self, logs: Sequence[OracleLog], draws: Draws) -> None:
        self._logs = logs
        self._draws = draws
        self._pool = [act for log in logs for act in log.acts]
        self._endings = _distinct([act for log in logs for act in log.actions if act["tool_name"] in ENDS])
        self._plausible = PlausibleCalls(draws, logs)
        self._changes: Sequence[Callable[[list[Action], tuple[int, ...]], list[Action]]] = (
            self._drop,
            self._drop,
            self._swap,
            self._double,
            self._argue,
            self._insert,
            self._insert,
            self._cross,
            self._end,
            self._refuse,
            self._wait_out,
        )

    def changed(self, plan: Plan, *where: int) -> Plan:
        """Return a plan with one or two changes."""
        acts = list(plan)
        for number in range(1 + self._draws.chance("twice", 0.3, *where)):
            change = self._draws.choice("change", self._changes, *where, number)
            acts = change(acts, (*where, number))
        return ended(acts[:LONGEST])

    def _place(self, acts: Sequence[Action], draw_name: str, where: tuple[int, ...]) -> int:
        return self._draws.integer(draw_name, 0, max(len(acts) - 1, 0), *where)

    def _drop(self, acts: list[Action], where: tuple[int, ...]) -> list[Action]:
        first = self._place(acts, "first", where)
        longest = len(acts) - first if self._draws.chance("many", 0.5, *where) else 1
        return acts[:first] + acts[first + self._draws.integer("how many", 1, max(longest, 1), *where) :]

    def _swap(self, acts: list[Action], where: tuple[int, ...]) -> list[Action]:
        if acts:
            one, other = self._place(acts, "one", where), self._place(acts, "other", where)
            acts[one], acts[other] = acts[other], acts[one]
        return acts

    def _double(self, acts: list[Action], where: tuple[int, ...]) -> list[Action]:
        copied = acts[self._place(acts, "one", where)] if acts else _WAIT
        acts.insert(self._place(acts, "other", where), copied)
        return acts

    def _argue(self, acts: list[Action], where: tuple[int, ...]) -> list[Action]:
        """Give a call the arguments that its tool got in another log."""
        if acts:
            place = self._place(acts, "one", where)
            same = [one for one in self._pool if one["tool_name"] == acts[place]["tool_name"]]
            acts[place] = self._draws.choice("same tool", same, *where) if same else acts[place]
        return acts

    def _insert(self, acts: list[Action], where: tuple[int, ...]) -> list[Action]:
        acts.insert(self._place(acts, "one", where), self._draws.choice("act", self._pool, *where))
        return acts

    def _cross(self, acts: list[Action], where: tuple[int, ...]) -> list[Action]:
        """Continue with the rest of another log."""
        log = list(self._draws.choice("log", self._logs, *where).actions)
        return acts[: self._place(acts, "one", where)] + log[self._place(log, "other", where) :]

    def _end(self, acts: list[Action], where: tuple[int, ...]) -> list[Action]:
        """End as another log does, earlier or at the same place."""
        kept = acts[: self._place(acts, "one", where)] if self._draws.chance("early", 0.5, *where) else acts
        return [*_open(kept), self._draws.choice("ending", self._endings or [call("finish")], *where)]

    def _refuse(self, acts: list[Action], where: tuple[int, ...]) -> list[Action]:
        if not self._plausible.has("refuse"):
            return acts
        return [*_open(acts), self._plausible.call_of("refuse", "refuse", *where)]

    def _wait_out(self, acts: list[Action], where: tuple[int, ...]) -> list[Action]:
        """Wait until no steps are left instead of finishing, to keep what was earned."""
        most = self._logs[0].first["steps_remaining"]
        kept = _open(acts)
        return kept + [_WAIT] * (most - len(kept)) if self._draws.chance("out", 0.3, *where) else acts


def starts_of(logs: Sequence[OracleLog], most: int) -> Sequence[Plan]:
    """Return the plans to climb from: finish at once, refuse as any log does, and some whole logs."""
    refusals = _distinct([act for log in logs for act in log.actions if act["tool_name"] == "refuse"])
    return [(), *((refusal,) for refusal in refusals), *(log.actions for log in logs[:most])]


def _finish_of(logs: Sequence[OracleLog]) -> Action:
    """Return the first log's `finish`, with the answer without which it might end nothing."""
    endings = (log.actions[-1] for log in logs if log.actions)
    return next((act for act in endings if act["tool_name"] == "finish"), call("finish"))


def ended(acts: Sequence[Action]) -> Plan:
    """Return a plan up to its first ending; what follows is never played."""
    ends = [number for number, act in enumerate(acts) if act["tool_name"] in ENDS]
    return tuple(acts[: ends[0] + 1] if ends else acts)


def flaws_of(grade: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a grade card holds against a success."""
    found = [f"forbidden: {one['name']}" for one in grade["forbidden"] if not one["kept"]]
    found += [f"out of order: {one['name']}" for one in grade["orders"] if not one["kept"]]
    found += [f"outside: {row}" for row in grade["collateral"]]
    found += [f"violation: {one['code']}" for one in grade["violations"]]
    if grade["feasible"]:
        found += [f"must: {one['name']}" for one in grade["musts"] if not one["holds"]]
    return tuple(found)


def _open(acts: Sequence[Action]) -> list[Action]:
    return [act for act in acts if act["tool_name"] not in ENDS]


def _distinct(actions: Sequence[Action]) -> list[Action]:
    return [action for number, action in enumerate(actions) if action not in actions[:number]]
