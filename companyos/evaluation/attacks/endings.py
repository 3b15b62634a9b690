"""Endings: whether anything is gained by ending early under the profile `drill`, played in every way.

From the start of an oracle's episode, all plans of a few calls are played; from points along it, longer plans are
drawn. Every plan is ended in forks by `finish`, by `refuse` and by `abandon`, and so is every shorter plan that it
begins with. Then the law of a drill can be read off: no plan without harm earns less than giving up at once, and no
ending earns more than a call that costs nothing and the same ending after it.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Action, call

from .branches import Branch, Played, Trainer
from .logs import OracleLog
from .plausible import PlausibleCalls, is_reading

#: The profile whose law is checked.
PROFILE: Final = "drill"
ABANDON: Final[Action] = {"type": "abandon"}
#: The calls that a drawn plan adds to its part of the oracle's episode.
WALK: Final = 6
_CENT: Final = 0.005


@dataclass(frozen=True)
class EndedPlan:
    """A plan that was ended in every way.

    Attributes:
        seed: The instance.
        after: How many of the oracle's actions come before it.
        acts: Its calls.
        reward: What its last call earned; 0 without calls.
        harmed: Whether any of its calls, or of the oracle's before it, did harm or violated a policy.
        failures: The return of each ending without success.
        successes: The return of each ending with success.
        shorter: The plan without its last call; None at the first.
    """

    seed: int
    after: int
    acts: tuple[Action, ...] = ()
    reward: float = 0.0
    harmed: bool = False
    failures: tuple[float, ...] = ()
    successes: tuple[float, ...] = ()
    shorter: "EndedPlan | None" = None

    @property
    def is_empty(self) -> bool:
        """Whether it has no call, so that its endings give up at once."""
        return self.after == 0 and not self.acts

    @property
    def worth(self) -> float:
        """The best return of an ending without success."""
        return max(self.failures)

    @property
    def lost(self) -> float:
        """How much more an ending without success would have earned one call earlier; below 0 if less."""
        if self.shorter is None or not (self.shorter.failures and self.failures):
            return 0.0
        return round(self.shorter.worth - self.worth, 2)

    @property
    def is_beaten(self) -> bool:
        """Whether ending one call earlier was better, although that call cost nothing."""
        return not self.harmed and self.reward >= 0 and self.lost > _CENT

    @property
    def is_uneven(self) -> bool:
        """Whether one way to fail pays more than another."""
        return max(self.failures, default=0.0) - min(self.failures, default=0.0) > _CENT


class EndingSearch:
    """Plays plans along an oracle's episode, and ends them in every way.

    Args:
        trainer: Starts the episodes.
        scenario: The name of the family.
        log: The oracle's episode.
        draws: The source of every choice.
    """

    def __init__(self, trainer: Trainer, scenario: str, log: OracleLog, draws: Draws) -> None:
        self._trainer = trainer
        self._scenario = scenario
        self._log = log
        self._draws = draws
        self._plausible = PlausibleCalls(draws, [log])
        finish = (
            log.actions[-1] if log.actions and log.actions[-1]["tool_name"] == "finish" else call("finish")
        )
        self._endings = [finish, ABANDON]
        if self._plausible.has("refuse"):
            self._endings.append(self._plausible.call_of("refuse", "ending", log.seed))

    async def all_plans(self, calls: int, longest: int) -> list[EndedPlan]:
        """Play all plans of at most `longest` calls out of so many, from the start of the episode."""
        branch, _ = await self._trainer.reset(self._scenario, self._log.seed, PROFILE)
        first = EndedPlan(self._log.seed, 0)
        return await self._grown(branch, first, self.reduced(calls), longest, at_once=True)

    async def along(self, walks: int) -> list[EndedPlan]:
        """End the oracle's episode after each of its calls, and play drawn plans from so many points of it."""
        if not walks:
            return []
        branch, _ = await self._trainer.reset(self._scenario, self._log.seed, PROFILE)
        acts = self._log.acts
        points = [len(acts) * number // max(walks - 1, 1) for number in range(walks)]
        plan, found = EndedPlan(self._log.seed, 0), []
        for step in range(len(acts) + 1):
            count = points.count(step)
            plan, walkers = await self._ended(branch, plan, count)
            found.append(plan)
            here = EndedPlan(plan.seed, step, (), 0.0, plan.harmed, plan.failures, plan.successes)
            for number, walker in enumerate(walkers):
                found += await self._walked(walker, here, number)
            if step < len(acts):
                plan = _longer(plan, acts[step], await branch.step(acts[step]))
        await branch.close()
        return found

    def reduced(self, count: int) -> list[Action]:
        """Return a few calls: `wait`, a mistake, the oracle's first look, and its first deeds, right and wrong."""
        acts = [act for number, act in enumerate(self._log.acts) if act not in self._log.acts[:number]]
        writes = [act for act in acts if not is_reading(act["tool_name"]) and act["tool_name"] != "wait"]
        looks = [act for act in acts if is_reading(act["tool_name"])][:1]
        pairs = [each for act in writes for each in (act, *self._wrong(act))]
        return [call("wait", seconds=3_600), call("no_such_tool"), *looks, *pairs][:count]

    def _wrong(self, act: Action) -> Iterator[Action]:
        for name in sorted(act["arguments"]):
            given = act["arguments"][name]
            value = self._plausible.another(act["tool_name"], name, given, "wrong", self._log.seed)
            if value is not None:
                yield call(act["tool_name"], **{**act["arguments"], name: value})
                return

    async def _grown(
        self, branch: Branch, plan: EndedPlan, calls: Sequence[Action], longest: int, *, at_once: bool = False
    ) -> list[EndedPlan]:
        """End a plan in every way, and all longer ones; the first calls are played at once, the others in turn."""
        ended, forks = await self._ended(branch, plan, len(calls) if longest else 0)
        await branch.close()

        async def longer(fork: Branch, act: Action) -> list[EndedPlan]:
            return await self._grown(fork, _longer(ended, act, await fork.step(act)), calls, longest - 1)

        pairs = list(zip(forks, calls, strict=False))
        if at_once:
            grown = await asyncio.gather(*(longer(*pair) for pair in pairs))
        else:
            grown = [await longer(*pair) for pair in pairs]
        return [ended, *(each for plans in grown for each in plans)]

    async def _walked(self, branch: Branch, plan: EndedPlan, number: int) -> list[EndedPlan]:
        found = []
        for step in range(WALK):
            act = self._drawn_action(plan.after + step, number)
            played = await branch.step(act)
            plan, _ = await self._ended(branch, _longer(plan, act, played))
            found.append(plan)
        await branch.close()
        return found

    def _drawn_action(self, *where: int) -> Action:
        acts = self._log.acts
        if self._draws.chance("of the log", 0.5, *where) and acts:
            return acts[min(where[0], len(acts) - 1)]
        tool = self._draws.choice("tool", self._plausible.tools, *where)
        return self._plausible.call_of(tool, "walk", self._log.seed, *where)

    async def _ended(
        self, branch: Branch, plan: EndedPlan, children: int = 0
    ) -> tuple[EndedPlan, Sequence[Branch]]:
        """Return a plan with what each ending earns, and more forks from before the ending."""
        forks = await branch.fork(len(self._endings) + children)
        ends = await asyncio.gather(
            *(_last(fork, end) for fork, end in zip(forks, self._endings, strict=False))
        )
        harmless = [end for end in ends if end.done and not end.harmed]
        failures = tuple(round(end.episode_return, 2) for end in harmless if not end.success)
        successes = tuple(round(end.episode_return, 2) for end in harmless if end.success)
        return replace(plan, failures=failures, successes=successes), forks[len(self._endings) :]


def _longer(plan: EndedPlan, act: Action, played: Played) -> EndedPlan:
    return EndedPlan(
        plan.seed,
        plan.after,
        (*plan.acts, act),
        round(played.reward, 2),
        plan.harmed or played.harmed,
        shorter=plan,
    )


async def _last(branch: Branch, ending: Action) -> Played:
    played = await branch.step(ending)
    await branch.close()
    return played
