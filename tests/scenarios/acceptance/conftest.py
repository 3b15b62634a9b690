"""Fixtures: episodes of every family that its oracle solved, with every response."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import pytest

from companyos.evaluation.agents import Agent, Oracle
from companyos.sdk.approval_task.playbook import Refused
from companyos.sdk.scenario import Action, Instance, Observation, call, load_scenarios
from tests.scenarios.conftest import instance_of
from tests.scenarios.play import Episode, play
from tests.sizes import size

SEEDS = size(4, 50)
#: What an agent raises at a response that it cannot handle.
AT_A_LOSS = (Refused, LookupError, TypeError, ValueError, RuntimeError)


@dataclass(frozen=True)
class Call:
    """A call and its answer."""

    action: Action
    observation: Observation

    @property
    def tool(self) -> str:
        """The tool's name."""
        return str(self.action["tool_name"])


class Listening:
    """Plays as another agent does, and keeps every call with its answer."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._last: Action | None = None
        self.calls: list[Call] = []

    def start(self, observation: Observation) -> None:
        """Begin."""
        self._agent.start(observation)

    def act(self, observation: Observation) -> Action:
        """Return the other agent's action."""
        if self._last is not None:
            self.calls.append(Call(self._last, observation))
        self._last = self._agent.act(observation)
        return self._last


class Patient:
    """Plays as another agent does, and finishes where that one does not know what to do."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._is_lost = False

    def start(self, observation: Observation) -> None:
        """Begin."""
        try:
            self._agent.start(observation)
        except AT_A_LOSS:
            self._is_lost = True

    def act(self, observation: Observation) -> Action:
        """Return the other agent's action."""
        try:
            if not self._is_lost:
                return self._agent.act(observation)
        except AT_A_LOSS:
            self._is_lost = True
        return call("finish")


@dataclass(frozen=True)
class Solved:
    """An episode that the oracle solved."""

    instance: Instance
    episode: Episode
    calls: Sequence[Call]

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that were called, in order."""
        return tuple(call.tool for call in self.calls)


def solved_by(url: str, name: str, seed: int) -> Solved:
    """Play an episode with the oracle at level 0."""
    scenario = load_scenarios()[name]
    agent = Listening(Oracle(scenario))
    episode = play(url, scenario, seed, agent)
    return Solved(instance_of(scenario, seed), episode, agent.calls)


@pytest.fixture(scope="session")
def solved(url: str) -> Callable[..., Sequence[Solved]]:
    """A function that returns episodes of a family, by default the first, each played when a test first asks for it."""
    played = cache(partial(solved_by, url))

    def episodes_of(name: str, seeds: Sequence[int] = range(SEEDS)) -> Sequence[Solved]:
        return [played(name, seed) for seed in seeds]

    return episodes_of
