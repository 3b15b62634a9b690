"""What TicketDesk knows about tickets without a database: its words, its tables and its decisions, all pure.

A ticket's life runs from left to right. `blocked` is a detour that every open status can take, `verified` says
that somebody other than the reporter has checked the facts, and `closed` is the end: nothing leads out of it.

    new -> triage -> verified -> in_progress -> done -> closed
              |
           blocked
"""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum


class Kind(StrEnum):
    """What a ticket is about; each kind has rules of its own."""

    VENDOR_ONBOARDING = "vendor_onboarding"
    EXPENSE = "expense"
    BUG = "bug"
    LICENSE = "license"
    HANDBOOK = "handbook"
    REMEDIATION = "remediation"
    TASK = "task"


class Status(StrEnum):
    """Where a ticket is in its life."""

    NEW = "new"
    TRIAGE = "triage"
    BLOCKED = "blocked"
    VERIFIED = "verified"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    CLOSED = "closed"


class Can(StrEnum):
    """What takes a permission."""

    VERIFY_TICKETS = "verify_tickets"


class Priority(StrEnum):
    """How soon a ticket wants attention, least first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    URGENT = "urgent"


class Approval(StrEnum):
    """What the newest approval request about a ticket has come to."""

    NONE = "none"
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


class LinkKind(StrEnum):
    """What a link says about its ticket and its target; `approval` links are written by events only."""

    RELATES = "relates"
    BLOCKS = "blocks"
    DUPLICATES = "duplicates"
    APPROVAL = "approval"


class Outside(StrEnum):
    """What blocks a ticket besides another ticket: something that becomes of an object of another service."""

    FIGURE = "figure"
    REQUEST = "request"


class Prospect(StrEnum):
    """What has become of a blocker of another service, as far as it was announced: it is settled once, for good."""

    OPEN = "open"
    SETTLED = "settled"
    REJECTED = "rejected"


class Action(StrEnum):
    """What a line of a ticket's history says was done."""

    CREATED = "created"
    UPDATED = "updated"
    ASSIGNED = "assigned"
    TRANSITIONED = "transitioned"
    VERIFIED = "verified"
    REOPENED = "reopened"
    CLOSED = "closed"
    LINKED = "linked"
    BLOCKED = "blocked"
    UNBLOCKED = "unblocked"
    APPROVAL_REQUESTED = "approval_requested"
    APPROVAL_DECIDED = "approval_decided"


#: Where plain work may take a ticket. The other edges have acts of their own, which ask for more than a reason.
TRANSITIONS: Mapping[Status, frozenset[Status]] = {
    Status.NEW: frozenset({Status.TRIAGE, Status.IN_PROGRESS}),
    Status.TRIAGE: frozenset({Status.IN_PROGRESS}),
    Status.BLOCKED: frozenset(),
    Status.VERIFIED: frozenset({Status.IN_PROGRESS, Status.DONE}),
    Status.IN_PROGRESS: frozenset({Status.DONE}),
    Status.DONE: frozenset(),
    Status.CLOSED: frozenset(),
}

#: What verifying makes of a status: work that has begun or ended keeps its own. The others cannot be verified.
ONCE_VERIFIED: Mapping[Status, Status] = {
    Status.NEW: Status.VERIFIED,
    Status.TRIAGE: Status.VERIFIED,
    Status.IN_PROGRESS: Status.IN_PROGRESS,
    Status.DONE: Status.DONE,
    Status.CLOSED: Status.CLOSED,
}

#: What a new blocker can stop.
BLOCKABLE = frozenset({Status.NEW, Status.TRIAGE, Status.BLOCKED, Status.VERIFIED, Status.IN_PROGRESS})

#: What can be taken back to triage.
REOPENABLE = frozenset({Status.VERIFIED, Status.IN_PROGRESS, Status.DONE})

_UNCHECKED = frozenset({Status.NEW, Status.TRIAGE})
_FINISHED = frozenset({Status.DONE, Status.CLOSED})
_WORK = frozenset({Status.IN_PROGRESS, Status.DONE})
_WITHOUT_APPROVAL = frozenset({Kind.BUG, Kind.REMEDIATION, Kind.TASK})


def needs_approval(kind: Kind) -> bool:
    """Say whether a new ticket of this kind waits for an approval before it may be worked on."""
    return kind not in _WITHOUT_APPROVAL


def awaits_approval(to: Status, *, requires_approval: bool, approval: Approval) -> bool:
    """Say whether this transition begins or ends work that nobody has approved yet."""
    return requires_approval and to in _WORK and approval != Approval.APPROVED


def missing_fields(required: Iterable[str], values: Mapping[str, object]) -> list[str]:
    """Return the required fields that are empty, in the order in which the rule names them."""
    return [name for name in required if values.get(name) in (None, "")]


def stands_verified(status: Status, verified_by: str | None) -> bool:
    """Say whether a verification is on record and holds; back in triage, the facts are to be checked again."""
    return status == Status.VERIFIED or (verified_by is not None and status not in _UNCHECKED)


def is_resolved(status: Status, verified_by: str | None) -> bool:
    """Say whether a blocker holds nobody up any more: finished, and its result verified by somebody."""
    return status in _FINISHED and verified_by is not None


def once_refreshed(prospect: Prospect, *, version: int, since: int) -> Prospect:
    """Return what has become of a figure that a ticket waits for, given news of one of its versions.

    Any version newer than `since` settles it, so news may arrive in any order and number.
    """
    return Prospect.SETTLED if version > since else prospect


def once_decided(outcome: Approval) -> Prospect:
    """Return what has become of a request that a ticket waits for; it is decided once."""
    return Prospect.SETTLED if outcome == Approval.APPROVED else Prospect.REJECTED


def once_unblocked(status: Status, blocked_by: Collection[str]) -> Status:
    """Return the status of a ticket that has just lost a blocker, given those that are left."""
    return Status.TRIAGE if status == Status.BLOCKED and not blocked_by else status


def is_news(request_id: str, outcome: Approval, known: Collection[str]) -> bool:
    """Say whether this outcome of an approval request is what its ticket shows from now on.

    News may arrive in any order and must leave the same ticket. So only the newest request, by its number, counts;
    and that a request was made says nothing new once the request is known.

    Args:
        request_id: The request the news is about.
        outcome: `pending` where the news is that the request was made.
        known: The ticket's requests heard of before.
    """
    if outcome == Approval.PENDING and request_id in known:
        return False
    return all(by_number(request_id) >= by_number(other) for other in known)


def by_number(identifier: str) -> tuple[int, str]:
    """Return the key that sorts numbered ids by their number: `TD-9` before `TD-10`."""
    return len(identifier), identifier
