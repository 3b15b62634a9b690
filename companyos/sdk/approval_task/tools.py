"""The tools that an approval task needs without faults, and a few more."""

from typing import Final

#: Tools to complete, verify and return the ticket, to read rules, records and the directory, and to get a
#: decision.
APPROVAL_TOOLS: Final = (
    "ticketdesk_list_tickets",
    "ticketdesk_get_ticket",
    "ticketdesk_get_rules",
    "ticketdesk_update_ticket",
    "ticketdesk_assign_ticket",
    "ticketdesk_verify_ticket",
    "ticketdesk_return_ticket",
    "datahub_list_metrics",
    "datahub_query_metric",
    "datahub_refresh_data",
    "datahub_get_record",
    "datahub_get_approver",
    "datahub_get_person",
    "datahub_search_documents",
    "datahub_get_document",
    "approvalflow_get_approval_type",
    "approvalflow_get_policy",
    "approvalflow_submit_approval",
    "approvalflow_check_status",
    "approvalflow_list_approvals",
)
