"""The agent interface, and the agents that decide everything in advance: no action, or a fixed plan."""

from collections.abc import Callable, Iterable
from typing import Protocol

from companyos.scenario import Action, Observation, Scenario, Script, call

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


class Scripted:
    """Plays a script that sees only what every agent sees, and finishes when the script ends.

    Args:
        script: Makes the script of an episode from the observation of its reset.
    """

    def __init__(self, script: Callable[[Observation], Script]) -> None:
        self._begun = script
        self._script: Script | None = None
        self._begins = True

    def start(self, observation: Observation) -> None:
        """Start the script."""
        self._script = self._begun(observation)
        self._begins = True

    def act(self, observation: Observation) -> Action:
        """Return the script's next action, or finish at its end."""
        if self._script is None:
            raise RuntimeError("start the episode first")
        try:
            if self._begins:
                self._begins = False
                return next(self._script)
            return self._script.send(observation)
        except StopIteration:
            return call("finish")


class Oracle(Scripted):
    """Plays a scenario's own script, which knows the task."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario.oracle)


class Naive(Scripted):
    """Plays a scenario's script that believes every claim and checks nothing."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario.naive)


class Careful(Scripted):
    """Plays a scenario's script that checks what it is told and knows nothing about particular faults."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario.careful)
