"""Checks on a running stack: the oracle solves every instance, and agents that do not investigate solve none."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from companyos.client import CompanyosEnv, ServerUnreachable
from companyos.evaluation.agents import (
    Agent,
    DoNothing,
    OpenLoopPlan,
    Oracle,
    RandomPool,
    RandomSchema,
    Recorded,
)
from companyos.evaluation.agents.turn import ENDS_OF_A_CALL
from companyos.evaluation.script_failures import script_failure
from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import Action, Instance, Scenario, folder_of
from companyos.sdk.scenario_sources import reason_of

from .claims import Complaints, Tally, Verdict
from .outcome import Played, refusal
from .suite import LEVELS, SALT

#: Agents that read nothing relevant to the decision, so they must never succeed.
_WITHOUT_READING: Final[Mapping[str, Callable[[int], Agent]]] = {
    "waiting until the steps run out": lambda seed: DoNothing(),
    "finishing immediately": lambda seed: OpenLoopPlan([]),
    "random plausible calls": RandomPool,
    "random calls": RandomSchema,
}

Tell = Callable[[int, int], None]


def check_play(
    scenario: Scenario,
    env: CompanyosEnv,
    *,
    pairs: int = 2,
    levels: Sequence[int] = LEVELS,
    progress: Tell | None = None,
) -> Iterator[Verdict]:
    """Yield the verdict on every claim that needs a running stack, which must offer the scenario.

    Args:
        scenario: The scenario.
        env: A client of the stack, which must use the published salt.
        pairs: Number of counterfactual pairs played at each level.
        levels: The chaos levels.
        progress: Called with the number of finished pairs and the total.
    """
    stage = _Stage(scenario, env)
    work = [(level, pair) for level in levels for pair in range(pairs)]
    for done, (level, pair) in enumerate(work, start=1):
        stage.play_pair(level, pair, without_reading=level in (levels[0], levels[-1]))
        if progress is not None:
            progress(done, len(work))
    yield from stage.results()


class _Stage:
    """Plays pairs with every agent and collects what contradicts the claims."""

    def __init__(self, scenario: Scenario, env: CompanyosEnv) -> None:
        self._scenario = scenario
        self._env = env
        self._solved = Tally("The oracle solves every instance played within its steps")
        self._repeated = Tally("Playing again produces the same trace")
        self._alike = Tally("A pair begins with the same observation")
        self._told_apart = Tally("What the oracle does without chaos fails on the other instance of the pair")
        self._calm_calls: dict[int, list[Action]] = {}
        self._without_reading = {name: Tally(f"Never solved by {name}") for name in _WITHOUT_READING}

    def results(self) -> Iterator[Verdict]:
        """Yield the verdicts on the plays so far."""
        tallies = (self._solved, self._repeated, self._alike, self._told_apart)
        yield from (tally.verdict for tally in (*tallies, *self._without_reading.values()))

    def play_pair(self, level: int, pair: int, *, without_reading: bool) -> None:
        """Play both instances of a pair.

        Args:
            level: The chaos level.
            pair: Number of the pair.
            without_reading: Whether the agents that read nothing also play, in addition to the oracle and the
                calls that it made on the other instance.
        """
        seeds = (2 * pair, 2 * pair + 1)
        try:
            chaos = parse_chaos(level)
            first, second = (self._scenario.generate(seed, chaos, SALT) for seed in seeds)
        except ENDS_OF_A_CALL as failure:  # the author's code may raise anything, and is told
            self._solved.add(
                [reason_of(failure, folder_of(self._scenario))],
                where=f"seeds {seeds[0]} and {seeds[1]}, level {level}",
            )
            return
        shown = [self._play_one(level, mine, other) for mine, other in ((first, second), (second, first))]
        differ = ["their first observations differ"] if shown[0] != shown[1] else []
        self._alike.add(differ, where=f"seeds {seeds[0]} and {seeds[1]}")
        for instance in (first, second) if without_reading else ():
            self._play_without_reading(level, instance)

    def _play_one(self, level: int, instance: Instance, other: Instance) -> Mapping[str, Any]:
        where = f"seed {instance.seed}, level {level}"
        played = self._play(level, instance, Oracle(self._scenario))
        self._solved.add(_failures(played, instance), where=where)
        again = self._play(level, instance, Oracle(self._scenario))
        equal = again.metadata["trace_hash"] == played.metadata["trace_hash"]
        self._repeated.add([] if equal else ["the oracle's second play produced another trace"], where=where)
        misled = self._play(level, instance, OpenLoopPlan(self._calls_without_chaos(other.seed)))
        self._told_apart.add(
            ["what the oracle does on its counterfactual solves it"] if misled.success else [], where=where
        )
        return played.first

    def _play_without_reading(self, level: int, instance: Instance) -> None:
        for name, agent in _WITHOUT_READING.items():
            succeeded = self._play(level, instance, agent(instance.seed)).success
            where = f"seed {instance.seed}, level {level}"
            self._without_reading[name].add(["it succeeded"] if succeeded else [], where=where)

    def _calls_without_chaos(self, seed: int) -> list[Action]:
        if seed not in self._calm_calls:
            oracle = Recorded(Oracle(self._scenario))
            self._play(0, self._scenario.generate(seed, parse_chaos(0), SALT), oracle)
            self._calm_calls[seed] = oracle.calls
        return self._calm_calls[seed]

    def _play(self, level: int, instance: Instance, agent: Agent) -> Played:
        result = self._env.reset(scenario=self._scenario.name, seed=instance.seed, chaos=level)
        first, last, refused, failure = result.observation, None, "", None
        try:
            agent.start(first)
            while not result.done:
                last = agent.act(result.observation)
                result = self._env.step(last)
                if (error := result.observation["error"]) is not None:
                    refused = refusal(result.observation["step"], last, error)
        except ServerUnreachable:
            raise
        except ENDS_OF_A_CALL as raised:  # the author's script may raise anything, and is told
            failure = script_failure(raised, self._scenario)
        grade = self._env.grade()
        return Played(instance, level, first, result.metadata, grade, last, refused, failure)


def _failures(played: Played, instance: Instance) -> Complaints:
    """Complain about an oracle that failed, or needed more steps than its instance declares."""
    if not played.success:
        yield played.outcome
    elif played.grade["step_count"] > instance.oracle_steps:
        yield f"it took {played.grade['step_count']} steps, and oracle_steps says {instance.oracle_steps}"
