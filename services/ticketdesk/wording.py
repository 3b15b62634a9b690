"""TicketDesk's rules in words, as refusals state them."""

from collections.abc import Iterable, Mapping
from typing import Final

from .domain import ExternalKind, Status

#: The possible next acts from each status.
NEXT_STEPS: Final[Mapping[Status, str]] = {
    Status.NEW: "ticketdesk_transition_ticket takes it to triage or in_progress; ticketdesk_verify_ticket verifies it.",
    Status.TRIAGE: "ticketdesk_transition_ticket takes it to in_progress; ticketdesk_verify_ticket verifies it.",
    Status.BLOCKED: "Resolve its blockers with ticketdesk_resolve_blocker; without blockers it returns to triage.",
    Status.RETURNED: "Its reporter has to answer first; ticketdesk_reopen_ticket takes it back without an answer.",
    Status.VERIFIED: "ticketdesk_transition_ticket takes it to in_progress or done; ticketdesk_reopen_ticket returns "
    "it to triage.",
    Status.IN_PROGRESS: "ticketdesk_transition_ticket takes it to done; ticketdesk_reopen_ticket returns it to triage; "
    "ticketdesk_verify_ticket verifies it as it is.",
    Status.DONE: "ticketdesk_reopen_ticket returns it to triage; ticketdesk_close_ticket ends it for good.",
    Status.CLOSED: "If there is more to do, create a new ticket with ticketdesk_create_ticket.",
}
_ARRIVING: Final = "If that has happened, ticketdesk_list_undelivered shows what has not arrived here yet."
#: How to settle each kind of external blocker, and with which tool.
TO_SETTLE: Final[Mapping[ExternalKind, str]] = {
    ExternalKind.METRIC: "The metric has not been refreshed since this ticket was blocked: {id}. Refresh it with "
    f"datahub_refresh_data and wait for the job to finish. {_ARRIVING}",
    ExternalKind.REQUEST: "The request has not been approved yet, as far as TicketDesk knows: {id}. Wait until it is "
    f"decided; approvalflow_check_status says when. {_ARRIVING}",
}
SETTLING_TOOLS: Final[Mapping[ExternalKind, str]] = {
    ExternalKind.METRIC: "datahub_refresh_data",
    ExternalKind.REQUEST: "approvalflow_check_status",
}


def in_prose(names: Iterable[str], conjunction: str) -> str:
    """Return the names as a list in prose: `nothing`, `a`, `a and b`, `a, b and c`."""
    *first, last = list(names) or ["nothing"]
    return f"{', '.join(first)} {conjunction} {last}" if first else last
