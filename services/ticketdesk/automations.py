"""The actions and events that TicketDesk offers to the company's automations."""

from companyos.chassis import Automations, Event, Firing, column_names
from companyos.sdk.automations import Effects

from .domain import Priority
from .events import (
    ApprovalDecided,
    AssetAssigned,
    AssetReturned,
    ClearanceChanged,
    TicketClosed,
    TicketReopened,
    TicketVerified,
)
from .models import Ticket, metadata
from .service import Threads, TicketDesk


async def set_priority(firing: Firing, *, ticket: str, to: str) -> None:
    """Set the priority of a ticket."""
    await TicketDesk(firing.unit).update(ticket, priority=Priority(to))


async def assign(firing: Firing, *, ticket: str, to: str) -> None:
    """Assign a ticket to a person."""
    await TicketDesk(firing.unit).assign(ticket, to)


async def reopen(firing: Firing, *, ticket: str, reason: str) -> None:
    """Reopen a ticket."""
    await TicketDesk(firing.unit).reopen(ticket, reason=reason)


async def comment(firing: Firing, *, ticket: str, text: str) -> None:
    """Comment on a ticket."""
    await Threads(firing.unit).comment(ticket, text)


async def file(firing: Firing, *, kind: str, title: str, text: str, subject: str) -> None:
    """File a ticket about an object."""
    await TicketDesk(firing.unit).create(kind, title=title, description=text, subject=subject)


_TOUCHED = frozenset({"tickets.version", "tickets.updated_at"})
_CHECKED = frozenset(
    f"tickets.{column}" for column in ("status", "evidence", "references", "verified_by", "verified_at")
)
_REOPENED = _CHECKED | {"tickets.approval"}
_ALL = frozenset(f"tickets.{column}" for column in column_names(Ticket))
_SEEN = frozenset({"tickets.status", "tickets.kind"})
_APPROVAL = frozenset({"tickets.approval", *_TOUCHED})

_OWN: list[type[Event]] = [TicketVerified, TicketReopened, TicketClosed]

AUTOMATIONS = Automations(
    service="ticketdesk",
    metadata=metadata,
    own=_OWN,
    foreign=[ApprovalDecided, AssetAssigned, AssetReturned, ClearanceChanged],
    tables=[Ticket],
    actions={
        "set_priority": (
            set_priority,
            Effects(_TOUCHED | {"tickets.priority"}, reads=_SEEN | {"tickets.priority"}),
        ),
        "assign": (assign, Effects(_TOUCHED | {"tickets.assignee"}, reads=_SEEN | {"tickets.assignee"})),
        "reopen": (reopen, Effects(_TOUCHED | _REOPENED, frozenset({"ticket.reopened"}), _SEEN)),
        "comment": (comment, Effects(frozenset({"comments.id"}))),
        "file": (file, Effects(_ALL)),
    },
    acts=(
        Effects(_ALL),
        Effects(_TOUCHED | _CHECKED, frozenset({"ticket.verified"})),
        Effects(_TOUCHED | _REOPENED, frozenset({"ticket.reopened"})),
        Effects(_TOUCHED | {"tickets.status", "tickets.resolution"}, frozenset({"ticket.closed"})),
    ),
    own_reactions={
        "approval.requested": Effects(_APPROVAL),
        "approval.decided": Effects(_APPROVAL),
    },
)
