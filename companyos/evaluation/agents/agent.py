"""The agent interface, and the agents that decide everything in advance: no action, or a fixed plan."""

from collections.abc import Iterable
from typing import Protocol

from companyos.sdk.scenario import Action, Observation, Scenario, call
from companyos.sdk.scripts.scripted import Scripted

_HOUR_S = 3600


class Agent(Protocol):
    """Chooses actions from observations, both in the form of the trainer API."""

    def start(self, observation: Observation) -> None:
        """Begin an episode; `observation` is the one from reset."""

    def act(self, observation: Observation) -> Action:
        """Return the next action; `observation` is the latest, at first the one from reset."""


class DoNothing:
    """Waits until the budget is spent."""

    def start(self, observation: Observation) -> None:
        """Ignore the observation."""

    def act(self, observation: Observation) -> Action:
        """Wait for an hour."""
        return call("wait", seconds=_HOUR_S)


class OpenLoopPlan:
    """Plays a list of actions without reading observations, then finishes."""

    def __init__(self, plan: Iterable[Action]) -> None:
        self._plan = list(plan)
        self._left = iter(self._plan)

    def start(self, observation: Observation) -> None:
        """Restart the plan."""
        self._left = iter(self._plan)

    def act(self, observation: Observation) -> Action:
        """Return the next action of the plan."""
        return next(self._left, call("finish"))


class Recorded:
    """Plays as another agent does, and keeps its calls."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.calls: list[Action] = []

    def start(self, observation: Observation) -> None:
        """Begin an episode of the other agent, without calls so far."""
        self.calls = []
        self._agent.start(observation)

    def act(self, observation: Observation) -> Action:
        """Return the other agent's next action."""
        self.calls.append(self._agent.act(observation))
        return self.calls[-1]


class Oracle(Scripted):
    """Plays a scenario's own script, which knows the task; it goes on where an episode starts after its calls."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario.oracle)
        self._latest: Observation | None = None

    def start(self, observation: Observation) -> None:
        """Start the script, and let it go through what was done before the episode."""
        latest = {**observation, "text": observation.get("brief", observation["text"])}
        super().start(latest)
        for exchange in observation.get("prefix", ()):
            super().act(latest)
            latest = self._latest = exchange["observation"]

    def act(self, observation: Observation) -> Action:
        """Return the script's next action, or finish at its end."""
        latest, self._latest = self._latest or observation, None
        return super().act(latest)
