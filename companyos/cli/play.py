"""Plays the demo's episodes over HTTP and reports every step."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from companyos.client import CompanyosEnv, Result
from companyos.evaluation.agents import Agent, Oracle, RandomPool
from companyos.evaluation.fewest_steps import Attempt, spl_of
from companyos.evaluation.runs.request import Instance
from companyos.sdk.scenario import Scenario
from companyos.sdk.scripts.asking import Refused

#: The level of chaos of the demo.
CHAOS: Final = 0
#: Makes an agent from the scenario and a number unique to the episode.
AGENTS: dict[str, Callable[[Scenario, int], Agent]] = {
    "random": lambda scenario, number: RandomPool(number),
    "oracle": lambda scenario, number: Oracle(scenario),
}


@dataclass(frozen=True)
class Played:
    """An episode so far; `success` is None while it runs, and meaningless if it is `invalid`."""

    scenario: str
    agent: str
    seed: int
    steps: int
    max_steps: int
    episode_return: float
    seconds: float
    success: bool | None
    invalid: bool = False

    @property
    def attempt(self) -> Attempt:
        """What SPL depends on."""
        return Attempt((self.scenario, CHAOS, self.seed), bool(self.success), self.steps)


def play_all(env: CompanyosEnv, scenarios: Iterable[Scenario], seeds: Iterable[int]) -> Iterator[Played]:
    """Play every scenario with every agent on every seed; yield after each step, last with the outcome."""
    for number, (scenario, name, seed) in enumerate(product(scenarios, AGENTS, seeds)):
        result = env.reset(scenario=scenario.name, seed=seed, chaos=CHAOS)
        yield from _play(env, result, AGENTS[name](scenario, number), scenario.name, name, seed)


def _play(
    env: CompanyosEnv, result: Result, agent: Agent, scenario: str, name: str, seed: int
) -> Iterator[Played]:
    began, max_steps = time.perf_counter(), result.observation.steps_remaining
    played = Played(scenario, name, seed, 0, max_steps, 0.0, 0.0, None)
    agent.start(result.observation)
    while not result.done:
        try:
            result = env.step(agent.act(result.observation))
        except Refused:
            # The oracle cannot handle this refusal and gives up.
            yield replace(played, success=False)
            return
        played = replace(
            played,
            steps=result.observation.step,
            episode_return=round(result.metadata["episode_return"], 2),
            seconds=time.perf_counter() - began,
            success=bool(result.metadata["success"]) if result.done else None,
            invalid=result.done and bool(result.metadata["invalid"]),
        )
        yield played


@dataclass(frozen=True)
class Line:
    """One row of the table: one agent on one scenario, over its finished episodes.

    `success`, `spl` and `mean_return` exclude `invalid` episodes, in which the stack failed, not the agent.
    """

    scenario: str
    agent: str
    episodes: int
    success: float
    spl: float | None
    mean_return: float
    steps: int
    steps_per_s: float
    invalid: int = 0

    @classmethod
    def of(cls, episodes: Sequence[Played], fewest: Mapping[Instance, int]) -> "Line":
        """Summarize the finished episodes of one agent on one scenario, of which the fewest known steps are given."""
        steps, scored = sum(episode.steps for episode in episodes), [e for e in episodes if not e.invalid]
        count, spl = max(len(scored), 1), spl_of([episode.attempt for episode in scored], fewest)
        return cls(
            scenario=episodes[0].scenario,
            agent=episodes[0].agent,
            episodes=len(episodes),
            success=sum(bool(episode.success) for episode in scored) / count,
            spl=None if spl is None else round(spl.value, 4),
            mean_return=round(sum(episode.episode_return for episode in scored) / count, 2),
            steps=steps,
            steps_per_s=round(steps / max(sum(episode.seconds for episode in episodes), 0.001), 1),
            invalid=len(episodes) - len(scored),
        )


def lines_of(episodes: Iterable[Played]) -> list[Line]:
    """Return one line per scenario and agent, in the order in which they played."""
    groups: dict[tuple[str, str], list[Played]] = {}
    fewest: dict[Instance, int] = {}
    for episode in episodes:
        groups.setdefault((episode.scenario, episode.agent), []).append(episode)
        if episode.agent == "oracle" and episode.success:
            fewest[episode.attempt.instance] = episode.steps
    return [Line.of(group, fewest) for group in groups.values()]
