"""How ApprovalFlow's pages look."""

from typing import Final

from companyos.chassis import PageLayout

PAGES: Final = (
    PageLayout(
        "list_inbox",
        title="Inbox",
        columns=("id", "type", "requester", "approver", "status", "submitted_at"),
        opens="get_request",
    ),
    PageLayout(
        "list_approvals",
        title="Requests",
        columns=("id", "type", "subject", "ticket_id", "requester", "approver", "status", "submitted_at"),
    ),
    PageLayout(
        "list_approval_types", title="Approval types", columns=("id", "name", "description", "ticket_kind")
    ),
    PageLayout("list_purchases", title="Purchases", opens="place_order"),
    PageLayout(
        "get_request",
        title="Request",
        parts=("reason", "fields", "evidence"),
        actions=("add_evidence", "escalate", "withdraw_request"),
        main_actions={
            "held": "add_evidence",
            "pending": "add_evidence",
            "escalated": "add_evidence",
            "rejected": "resubmit_request",
            "expired": "resubmit_request",
        },
        ids="APR-",
    ),
    PageLayout(
        "get_approval_type",
        title="Approval type",
        heading="name",
        text="description",
        fields=("type", "types"),
    ),
    PageLayout("get_audit", title="Audit", columns=("at", "actor", "action", "detail")),
    PageLayout("submit_approval", title="Submit request", columns=("type", "ticket_id", "fields")),
)
