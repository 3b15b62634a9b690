"""Why the script of an agent stopped before its episode ended: it gave up on purpose, or it has a bug."""

from dataclasses import dataclass
from typing import Final

from companyos.sdk.scenario import Scenario, folder_of
from companyos.sdk.scenario_sources import reason_of
from companyos.sdk.scripts.asking import Refused

#: The exceptions with which a script gives up on purpose. Their subclasses, such as KeyError, are bugs.
_GIVING_UP: Final = (Refused, LookupError)


@dataclass(frozen=True)
class ScriptFailure:
    """The end of a script that raised an exception.

    Attributes:
        reason: The exception, with the line of the scenario's own code that it passed last.
        crashed: Whether it is a bug, and not a way to give up.
    """

    reason: str
    crashed: bool

    def __str__(self) -> str:
        return f"the script {'crashed' if self.crashed else 'gave up'}: {self.reason}"


def script_failure(failure: BaseException, scenario: Scenario) -> ScriptFailure:
    """Return what an exception says about the script of a scenario that raised it."""
    return ScriptFailure(reason_of(failure, folder_of(scenario)), crashed=type(failure) not in _GIVING_UP)
