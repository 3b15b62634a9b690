"""Episodes played over HTTP by the agents of the demo, reported step by step."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from companyos.agents import Agent, Oracle, RandomPool
from companyos.client import CompanyosEnv
from companyos.scenario import Scenario

AGENTS: dict[str, Callable[[Scenario, int], Agent]] = {
    "random": lambda scenario, seed: RandomPool(seed),
    "oracle": lambda scenario, seed: Oracle(scenario),
}


@dataclass(frozen=True)
class Played:
    """An episode up to now; `success` is None while it goes on."""

    scenario: str
    agent: str
    seed: int
    steps: int
    max_steps: int
    episode_return: float
    seconds: float
    success: bool | None


def play_all(env: CompanyosEnv, scenarios: Iterable[Scenario], seeds: Iterable[int]) -> Iterator[Played]:
    """Play every scenario with every agent on every seed; yield once per step, the last time with the outcome."""
    for scenario, agent, seed in product(scenarios, AGENTS, seeds):
        yield from _play(env, scenario, agent, seed)


def _play(env: CompanyosEnv, scenario: Scenario, name: str, seed: int) -> Iterator[Played]:
    began, total = time.perf_counter(), 0.0
    result = env.reset(scenario=scenario.name, seed=seed)
    max_steps = result.observation.steps_remaining
    agent = AGENTS[name](scenario, seed)
    agent.start(result.observation)
    while not result.done:
        result = env.step(agent.act(result.observation))
        total += result.reward or 0.0
        yield Played(
            scenario=scenario.name,
            agent=name,
            seed=seed,
            steps=result.observation.step,
            max_steps=max_steps,
            episode_return=round(total, 2),
            seconds=time.perf_counter() - began,
            success=bool(result.metadata["success"]) if result.done else None,
        )


@dataclass(frozen=True)
class Line:
    """One line of the table: one agent on one scenario, over its finished episodes."""

    scenario: str
    agent: str
    episodes: int
    success: float
    mean_return: float
    steps: int
    steps_per_s: float

    @classmethod
    def of(cls, episodes: list[Played]) -> "Line":
        """Sum up the finished episodes of one agent on one scenario."""
        count, steps = len(episodes), sum(episode.steps for episode in episodes)
        return cls(
            scenario=episodes[0].scenario,
            agent=episodes[0].agent,
            episodes=count,
            success=sum(bool(episode.success) for episode in episodes) / count,
            mean_return=round(sum(episode.episode_return for episode in episodes) / count, 2),
            steps=steps,
            steps_per_s=round(steps / sum(episode.seconds for episode in episodes), 1),
        )


def summed_up(episodes: Iterable[Played]) -> list[Line]:
    """Return one line per scenario and agent, in the order in which they were played."""
    groups: dict[tuple[str, str], list[Played]] = {}
    for episode in episodes:
        groups.setdefault((episode.scenario, episode.agent), []).append(episode)
    return [Line.of(group) for group in groups.values()]
