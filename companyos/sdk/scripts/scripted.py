"""Plays a script of a scenario, one action at a time."""

from collections.abc import Callable

from companyos.sdk.actions import Action, Observation, Script, call


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
