"""What chaos makes of a case: empty fields, sluggish refreshes, absent approvers, objections; and what they cost."""

from dataclasses import dataclass
from typing import Final

from companyos.chaos import Chaos, FaultName
from companyos.company import Company
from companyos.draws import Draws

from .route import Absence

_OBJECTIONS: Final = (
    ("missing_attachment", "add_evidence"),
    ("budget_code_missing", "add_evidence"),
    ("needs_second_look", "resubmit"),
    ("wording_unclear", "resubmit"),
)
_SLOWER: Final = 4
#: Steps of the oracle: a refresh again, its wait, a look; a request again, its wait, a look; an attachment.
_REFRESH_STEPS: Final = 3
_RESUBMIT_STEPS: Final = 3
_ATTACH_STEPS: Final = 1


@dataclass(frozen=True)
class Objection:
    """What an approver holds against one attempt."""

    attempt: int
    reason_code: str
    remedy: str


@dataclass(frozen=True)
class Refreshes:
    """How refreshes of a figure go: how long each takes, and which of them fail."""

    refresh_s: int
    failures: tuple[int, ...]


class Faults:
    """The faults of one pair of twins, drawn from its chaos."""

    def __init__(self, draws: Draws, chaos: Chaos) -> None:
        self._draws = draws
        self._chaos = chaos

    def empties(self, field: str) -> bool:
        """Say whether this field of the ticket is empty."""
        fault = self._chaos.fault(FaultName.MISSING_FIELDS)
        return fault is not None and self._draws.chance(FaultName.MISSING_FIELDS, fault.p, field)

    def absence(self, role: str) -> Absence:
        """Return how the holder of a role is away."""
        fault = self._chaos.fault(FaultName.ABSENCE)
        if fault is None or not self._draws.chance(FaultName.ABSENCE, fault.p, role):
            return Absence.NONE
        return some_absence(self._draws, role)

    def refreshes(self) -> Refreshes:
        """Return how refreshes of the case's figure go."""
        usual = self._draws.integer("refresh_s", 5, 15) * 60
        fault = self._chaos.fault(FaultName.STALE)
        if fault is None:
            return Refreshes(usual, ())
        slow = self._draws.chance(FaultName.STALE, fault.p, "slow")
        fails = self._draws.chance(FaultName.STALE, fault.p, "fails")
        return Refreshes(usual * (_SLOWER if slow else 1), tuple(range(fault.B)) if fails else ())

    def objections(self) -> tuple[Objection, ...]:
        """Return what the approver holds against the first attempts, one after another."""
        fault = self._chaos.fault(FaultName.REJECTION)
        found: list[Objection] = []
        while fault is not None and len(found) < fault.B:
            attempt = len(found) + 1
            if not self._draws.chance(FaultName.REJECTION, fault.p, attempt):
                break
            found.append(Objection(attempt, *self._draws.choice("objection", _OBJECTIONS, attempt)))
        return tuple(found)

    def call_failures(self) -> int:
        """Return how many calls may fail on their way."""
        fault = self._chaos.fault(FaultName.CALL_FAILURE)
        return fault.B * fault.F if fault is not None else 0


def some_absence(draws: Draws, role: str) -> Absence:
    """Return a drawn way of being away."""
    return draws.choice("absence.kind", (Absence.COVERED, Absence.BRIEF, Absence.UNCOVERED), role)


def object_to(company: Company, type_id: str, about: str, objections: tuple[Objection, ...]) -> None:
    """Write down what the approver will hold against a request of this type about this object."""
    for one in objections:
        company.object(type_id, about, one.attempt, one.reason_code, one.remedy)


def cost(refreshes: Refreshes, objections: tuple[Objection, ...]) -> int:
    """Return how many more steps these faults cost who knows what to do."""
    attached = sum(_ATTACH_STEPS for one in objections if one.remedy == "add_evidence")
    return len(refreshes.failures) * _REFRESH_STEPS + len(objections) * _RESUBMIT_STEPS + attached
