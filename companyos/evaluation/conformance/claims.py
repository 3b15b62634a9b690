"""Claims about a scenario: sentences that are true or false, and the complaints that contradict them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from companyos.evaluation.agents.turn import ENDS_OF_A_CALL
from companyos.sdk.scenario import Instance, Scenario
from companyos.sdk.scenario_sources import reason_of

#: Complaints shown per claim; the rest are counted.
MOST_SHOWN: Final = 5

Complaints = Iterator[str]


@dataclass(frozen=True)
class OfScenario:
    """A claim that is checked once."""

    claim: str
    complaints: Callable[[Scenario], Complaints]


@dataclass(frozen=True)
class OfInstance:
    """A claim about each instance. A costly claim is checked only on the first pairs of a level."""

    claim: str
    complaints: Callable[[Instance], Complaints]
    costly: bool = False


@dataclass(frozen=True)
class OfPair:
    """A claim about the two instances of seeds 2k and 2k+1."""

    claim: str
    complaints: Callable[[Scenario, Instance, Instance], Complaints]


@dataclass(frozen=True)
class Verdict:
    """The result of checking one claim.

    Attributes:
        about_instances: Whether the claim must hold before playing is worthwhile.
        checked: Whether there was anything to check it on.
    """

    claim: str
    complaints: tuple[str, ...] = ()
    about_instances: bool = False
    checked: bool = True

    @property
    def passed(self) -> bool:
        """Whether nothing contradicts the claim."""
        return not self.complaints


@dataclass
class Tally:
    """Collects the complaints about one claim."""

    claim: str
    about_instances: bool = False
    _shown: list[str] = field(default_factory=list)
    _count: int = 0
    _raised: set[str] = field(default_factory=set)
    _checked: bool = False

    def add(self, complaints: Iterable[str], *, where: str = "") -> None:
        """Add complaints, or the exception that the scenario's code raises while they are computed.

        An exception that is raised again is only counted.
        """
        self._checked = True
        prefix = f"{where}: " if where else ""
        try:
            for complaint in complaints:
                self._note(prefix + complaint)
        except ENDS_OF_A_CALL as failure:  # the author's code may raise anything, and is told
            reason = reason_of(failure)
            self._note(prefix + reason, again=reason in self._raised)
            self._raised.add(reason)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the complaints so far."""
        left = self._count - len(self._shown)
        more = [f"… and {left} more like these"] if left else []
        return Verdict(self.claim, (*self._shown, *more), self.about_instances, self._checked)

    def _note(self, complaint: str, *, again: bool = False) -> None:
        self._count += 1
        if len(self._shown) < MOST_SHOWN and not again:
            self._shown.append(complaint)
