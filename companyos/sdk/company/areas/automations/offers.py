"""The builder's copy of what the services offer to automations; a test compares it with the services."""

from collections.abc import Mapping
from typing import Final

from companyos.sdk.automations import Effects, Offer

from ...packs.phrases import words


def _columns(table: str, names: str) -> frozenset[str]:
    return frozenset(f"{table}.{name}" for name in words(names))


def _facts(**events: str) -> Mapping[str, frozenset[str]]:
    return {name.replace("_", "."): frozenset(words(facts)) for name, facts in events.items()}


_TICKET: Final = (
    "id kind title description status reporter requires_approval created_at updated_at priority assignee subject "
    "cost_centre blocked_by resolution evidence references verified_by verified_at approval version"
)
_REQUEST: Final = (
    "id type policy_version requester approver status submitted_at ticket_id subject fields evidence waiting_for "
    "decision_due decided_at decided_by reason_code reason remedy required_field required_evidence attempt "
    "supersedes version"
)
_TICKETS, _REQUESTS = _columns("tickets", _TICKET), _columns("requests", _REQUEST)
_TOUCHED: Final = _columns("tickets", "version updated_at")
_APPROVAL: Final = Effects(_TOUCHED | {"tickets.approval"})
_ASSETS, _CLEARANCES = _columns("assets", "holder version"), _columns("clearances", "level version")
_RECORDS: Final = _columns("records", "status version")


def _ticket_action(column: str) -> Effects:
    return Effects(_TOUCHED | {f"tickets.{column}"}, reads=_columns("tickets", f"status kind {column}"))


_CHECKED: Final = _columns("tickets", "status evidence references verified_by verified_at")
_REOPEN: Final = _CHECKED | {"tickets.approval"}

TICKETDESK: Final = Offer(
    "ticketdesk",
    _facts(
        ticket_verified="ticket_id kind subject reporter verified_by version",
        ticket_reopened="ticket_id kind subject reporter version",
        ticket_closed="ticket_id resolution",
        approval_decided="request_id ticket_id outcome",
        asset_assigned="asset_id asset_class holder previous",
        asset_returned="asset_id asset_class previous",
        clearance_changed="person_id before level",
    ),
    {"tickets": frozenset(words(_TICKET))},
    {
        "set_priority": _ticket_action("priority"),
        "assign": _ticket_action("assignee"),
        "reopen": Effects(
            _TOUCHED | _REOPEN, frozenset({"ticket.reopened"}), _columns("tickets", "status kind")
        ),
        "comment": Effects(frozenset({"comments.id"})),
        "file": Effects(_TICKETS),
    },
    acts=(
        Effects(_TICKETS),
        Effects(_TOUCHED | _CHECKED, frozenset({"ticket.verified"})),
        Effects(_TOUCHED | _REOPEN, frozenset({"ticket.reopened"})),
        Effects(_TOUCHED | _columns("tickets", "status resolution"), frozenset({"ticket.closed"})),
    ),
    reactions={"approval.requested": _APPROVAL, "approval.decided": _APPROVAL},
)

DATAHUB: Final = Offer(
    "datahub",
    _facts(
        asset_assigned="asset_id asset_class holder previous version",
        asset_returned="asset_id asset_class previous version",
        clearance_changed="person_id before level version",
        record_changed="record_id status version",
        approval_decided="request_id outcome subject activates_record",
        ticket_reopened="ticket_id kind subject",
    ),
    {
        "assets": frozenset(words("id name asset_class holder version")),
        "clearances": frozenset(words("id level version")),
        "records": frozenset(words("id kind name fields status version")),
    },
    {
        "change_clearance": Effects(
            _CLEARANCES, frozenset({"clearance.changed"}), frozenset({"clearances.level"})
        ),
        "return_asset": Effects(_ASSETS, frozenset({"asset.returned"}), frozenset({"assets.holder"})),
        "set_record_status": Effects(_RECORDS, frozenset({"record.changed"}), frozenset({"records.status"})),
    },
    {"live_metric": frozenset({"metrics.value"})},
    acts=(
        Effects(_ASSETS, frozenset({"asset.assigned"})),
        Effects(_ASSETS, frozenset({"asset.returned"})),
        Effects(_RECORDS | _columns("records", "name fields"), frozenset({"record.changed"})),
    ),
    reactions={"approval.decided": Effects(_RECORDS, frozenset({"record.changed"}))},
)

APPROVALFLOW: Final = Offer(
    "approvalflow",
    _facts(
        approval_requested="request_id type ticket_id subject",
        approval_decided="request_id type ticket_id subject outcome activates_record decided_by reason_code",
        ticket_reopened="ticket_id kind version subject reporter",
        clearance_changed="person_id before level",
    ),
    {"requests": frozenset(words(_REQUEST))},
    {"void": Effects(_REQUESTS, reads=_REQUESTS)},
    acts=(
        Effects(_REQUESTS, frozenset({"approval.requested"})),
        Effects(_REQUESTS, frozenset({"approval.decided"})),
    ),
    repeated=frozenset({"approval.decided"}),
    reactions={
        event: Effects(_REQUESTS)
        for event in words(
            "metric.refreshed ticket.reopened ticket.verified metric.expired person.away person.back"
        )
    },
)

OFFERS: Final = (APPROVALFLOW, DATAHUB, TICKETDESK)
