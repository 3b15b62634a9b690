"""TicketDesk's rules, independent of the database: its enums, its tables and its decisions, all pure.

A ticket's lifecycle runs from left to right. Most open tickets can become `blocked`; `verified` means that
somebody other than the reporter has checked the facts, and `closed` is final. A `returned` ticket waits for
its reporter.

    new -> triage -> verified -> in_progress -> done -> closed
              |
           blocked, returned
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from companyos.sdk.simtime import DAY


class Status(StrEnum):
    """The stages of a ticket's life."""

    NEW = "new"
    TRIAGE = "triage"
    BLOCKED = "blocked"
    RETURNED = "returned"
    VERIFIED = "verified"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    CLOSED = "closed"


class PermissionId(StrEnum):
    """The actions that need a permission."""

    VERIFY_TICKETS = "verify_tickets"


class Priority(StrEnum):
    """A ticket's urgency, lowest first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    URGENT = "urgent"


class Approval(StrEnum):
    """The outcome of the newest approval request about a ticket."""

    NONE = "none"
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


class LinkKind(StrEnum):
    """How a ticket relates to a link's target; `approval` links are written by events only."""

    RELATES = "relates"
    BLOCKS = "blocks"
    DUPLICATES = "duplicates"
    APPROVAL = "approval"


class ExternalKind(StrEnum):
    """The kinds of external blockers: objects of other services that a ticket can wait for."""

    METRIC = "metric"
    REQUEST = "request"


class ExternalStatus(StrEnum):
    """The announced state of an external blocker: it is settled once, for good."""

    OPEN = "open"
    SETTLED = "settled"
    REJECTED = "rejected"


class Action(StrEnum):
    """The acts that a history line can record."""

    CREATED = "created"
    UPDATED = "updated"
    ASSIGNED = "assigned"
    TRANSITIONED = "transitioned"
    VERIFIED = "verified"
    REOPENED = "reopened"
    RETURNED = "returned"
    ROUTED = "routed"
    ANSWERED = "answered"
    BREACHED = "breached"
    MERGED = "merged"
    CLOSED = "closed"
    LINKED = "linked"
    BLOCKED = "blocked"
    UNBLOCKED = "unblocked"
    APPROVAL_REQUESTED = "approval_requested"
    APPROVAL_DECIDED = "approval_decided"
    CHANGE_PLANNED = "change_planned"
    CHANGE_ROLLED_OUT = "change_rolled_out"
    CHANGE_ROLLED_BACK = "change_rolled_back"


#: The transitions of plain work. Other transitions have their own acts, which need more than a reason.
TRANSITIONS: Mapping[Status, frozenset[Status]] = {
    Status.NEW: frozenset({Status.TRIAGE, Status.IN_PROGRESS}),
    Status.TRIAGE: frozenset({Status.IN_PROGRESS}),
    Status.BLOCKED: frozenset(),
    Status.RETURNED: frozenset(),
    Status.VERIFIED: frozenset({Status.IN_PROGRESS, Status.DONE}),
    Status.IN_PROGRESS: frozenset({Status.DONE}),
    Status.DONE: frozenset(),
    Status.CLOSED: frozenset(),
}

#: The status after a verification; work that has begun or ended keeps its status. No other status can be
#: verified.
ONCE_VERIFIED: Mapping[Status, Status] = {
    Status.NEW: Status.VERIFIED,
    Status.TRIAGE: Status.VERIFIED,
    Status.IN_PROGRESS: Status.IN_PROGRESS,
    Status.DONE: Status.DONE,
    Status.CLOSED: Status.CLOSED,
}

#: The statuses that a new blocker can interrupt.
BLOCKABLE = frozenset({Status.NEW, Status.TRIAGE, Status.BLOCKED, Status.VERIFIED, Status.IN_PROGRESS})

#: The statuses that can be reopened.
REOPENABLE = frozenset({Status.RETURNED, Status.VERIFIED, Status.IN_PROGRESS, Status.DONE})

_UNCHECKED = frozenset({Status.NEW, Status.TRIAGE})
_FINISHED = frozenset({Status.DONE, Status.CLOSED})
_WORK = frozenset({Status.IN_PROGRESS, Status.DONE})


def awaits_approval(to: Status, *, requires_approval: bool, approval: Approval) -> bool:
    """Say whether this transition would begin or end work that still needs an approval."""
    return requires_approval and to in _WORK and approval != Approval.APPROVED


def missing_fields(required: Iterable[str], values: Mapping[str, object]) -> list[str]:
    """Return the required fields that are empty, in the order of the rule."""
    return [name for name in required if values.get(name) in (None, "")]


def stands_verified(status: Status, verified_by: str | None) -> bool:
    """Say whether a verification is valid; after a return to triage, the facts must be checked again."""
    return status == Status.VERIFIED or (verified_by is not None and status not in _UNCHECKED)


def is_resolved(status: Status, verified_by: str | None) -> bool:
    """Say whether a blocking ticket is resolved: it is finished, and its result is verified."""
    return status in _FINISHED and verified_by is not None


def once_refreshed(status: ExternalStatus, *, version: int, since: int) -> ExternalStatus:
    """Return the state of an external metric after an event about one of its versions.

    Any version newer than `since` settles it, so events may be repeated and arrive in any order.
    """
    return ExternalStatus.SETTLED if version > since else status


def once_decided(outcome: Approval) -> ExternalStatus:
    """Return the state of an external request, which is decided once."""
    return ExternalStatus.SETTLED if outcome == Approval.APPROVED else ExternalStatus.REJECTED


def once_unblocked(status: Status, blocked_by: Collection[str]) -> Status:
    """Return the status of a ticket that has just lost a blocker, given the remaining ones."""
    return Status.TRIAGE if status == Status.BLOCKED and not blocked_by else status


def once_reopened(blocked_by: Collection[str]) -> Status:
    """Return the status of a ticket that was just reopened, given its blockers."""
    return Status.BLOCKED if blocked_by else Status.TRIAGE


def is_news(request_id: str, outcome: Approval, known: Collection[str]) -> bool:
    """Say whether an event about an approval request changes the outcome that its ticket shows.

    The order of events must not affect the ticket. So only the newest request, by its number, counts, and the
    event that a request was made is ignored once the request is known.

    Args:
        request_id: The request of the event.
        outcome: The outcome in the event; `pending` if the request was made.
        known: The ticket's requests that were already known.
    """
    if outcome == Approval.PENDING and request_id in known:
        return False
    return all(by_number(request_id) >= by_number(other) for other in known)


def by_number(identifier: str) -> tuple[int, str]:
    """Return the sort key of a numbered id, which puts `TD-9` before `TD-10`."""
    return len(identifier), identifier


#: Day 0 of simulated time, 2030-01-01, is a Tuesday; Monday is weekday 0.
_FIRST_WEEKDAY: Final = 1
_DAYS_OF_A_WEEK: Final = 7

#: The priority whose level applies while a ticket has none.
UNDECIDED: Final = Priority.MEDIUM

#: Statuses in which nobody waits for a first answer.
_SILENT: Final = frozenset({Status.CLOSED, Status.RETURNED})


@dataclass(frozen=True)
class Hours:
    """The opening hours of a desk.

    Attributes:
        opens_s: The second of the day at which it opens.
        closes_s: The second of the day at which it closes, later than `opens_s`.
        weekdays: The weekdays on which it opens, with Monday as 0; never empty.
    """

    opens_s: int
    closes_s: int
    weekdays: frozenset[int]

    def opening(self, day: int) -> tuple[int, int] | None:
        """Return the instants at which the desk opens and closes on a day, counted from day 0, or None."""
        if (day + _FIRST_WEEKDAY) % _DAYS_OF_A_WEEK not in self.weekdays:
            return None
        return day * DAY + self.opens_s, day * DAY + self.closes_s


def due_at(since: int, business_s: int, hours: Hours) -> int:
    """Return the instant at which `business_s` seconds of opening hours have passed since `since`."""
    day, left = since // DAY, business_s
    while True:
        if (opening := hours.opening(day)) is not None:
            begins, ends = max(opening[0], since), opening[1]
            if left <= ends - begins:
                return begins + left
            left -= max(0, ends - begins)
        day += 1


def level_id(tier: str, priority: Priority | None) -> str:
    """Return the id of the service level of a contract tier and a priority."""
    return f"{tier}:{priority or UNDECIDED}"


def is_awaited(status: Status, answered_at: int | None) -> bool:
    """Say whether the reporter of a ticket still waits for a first answer."""
    return answered_at is None and status not in _SILENT


def later_instants(instants: Iterable[int], *, after: int) -> list[int]:
    """Return the distinct instants after `after`, in order."""
    return sorted({instant for instant in instants if instant > after})
