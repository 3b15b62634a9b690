"""The actions and events that ApprovalFlow offers to the company's automations."""

from companyos.chassis import Automations, Event, Firing, column_names
from companyos.sdk.automations import Effects

from .domain import AT_APPROVER
from .events import ApprovalDecided, ApprovalRequested, ClearanceChanged, TicketReopened
from .models import Request, metadata
from .service import Lifecycle


async def void(firing: Firing, *, requester: str, reason: str) -> None:
    """Void a person's pending and escalated requests."""
    for request in await firing.unit.all(Request, requester=requester):
        if request.status in AT_APPROVER:
            await Lifecycle(firing.unit).void(request, "voided_by_automation", reason)


_REQUESTS = frozenset(f"requests.{column}" for column in column_names(Request))
_OWN: list[type[Event]] = [ApprovalRequested, ApprovalDecided]

AUTOMATIONS = Automations(
    service="approvalflow",
    metadata=metadata,
    own=_OWN,
    foreign=[TicketReopened, ClearanceChanged],
    tables=[Request],
    actions={"void": (void, Effects(_REQUESTS, reads=_REQUESTS))},
    acts=(
        Effects(_REQUESTS, frozenset({"approval.requested"})),
        Effects(_REQUESTS, frozenset({"approval.decided"})),
    ),
    repeated=frozenset({"approval.decided"}),
    own_reactions={
        event: Effects(_REQUESTS)
        for event in (
            "metric.refreshed",
            "ticket.reopened",
            "ticket.verified",
            "metric.expired",
            "person.away",
            "person.back",
        )
    },
)
