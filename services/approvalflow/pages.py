"""How ApprovalFlow's pages look."""

from typing import Final

from companyos.chassis import PageLayout

PAGES: Final = (
    PageLayout("list_inbox", title="Inbox", opens="get_request"),
    PageLayout(
        "list_approvals",
        title="Requests",
        columns=("id", "type", "subject", "ticket_id", "requester", "approver", "status", "submitted_at"),
    ),
    PageLayout("list_approval_types", title="Approval types"),
    PageLayout("list_purchases", title="Purchases", opens="place_order"),
    PageLayout(
        "get_request",
        title="Request",
        actions=("add_evidence", "resubmit_request", "escalate", "withdraw_request"),
        ids="APR-",
    ),
    PageLayout("get_approval_type", title="Approval type", heading="name"),
)
