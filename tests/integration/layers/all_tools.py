"""A tour of every tool of the three services: calls that all succeed, in a company made for it."""

from typing import Any

from companyos.sdk.chaos import FaultId
from companyos.sdk.simtime import DAY, HOUR
from tests.integration.chaos.stage import plan_of

#: A tool with its arguments and, where it is not the analyst, who calls it; or seconds to wait.
Stop = tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], str] | int

#: What is published about these arrives damaged: a ticket that is verified, and a request and its decision.
DAMAGED = plan_of(FaultId.POISON, match={"object": ["TD-1043", "APR-0002"]}, F=3)
ACME = {"vendor_name": "Acme Logistics"}


LOOKING: list[Stop] = [
    ("datahub_list_automations", {}),
    ("ticketdesk_list_automations", {}),
    ("approvalflow_list_automations", {}),
    ("datahub_assign_asset", {"asset_id": "AST-101", "person_id": "ben.okafor"}),
    ("datahub_get_clearance", {"person_id": "ben.okafor"}),
    ("datahub_list_assets", {"holder": "ben.okafor"}),
    ("datahub_return_asset", {"asset_id": "AST-101"}),
    ("datahub_list_invoices", {"clerk": "ana.lopez"}),
    ("datahub_get_order", {"order_id": "PO-101"}),
    ("datahub_get_invoice", {"invoice_id": "INV-101"}),
    ("datahub_settle_invoice", {"invoice_id": "INV-101", "disposition": "pay", "account": "DE1"}),
    ("datahub_list_periods", {"status": "open"}),
    ("datahub_get_period", {"period_id": "PER-101"}),
    ("datahub_lock_period", {"period_id": "PER-101"}),
    ("datahub_list_metrics", {"limit": 2}),
    ("datahub_get_lineage", {"metric_id": "MET-0104"}),
    ("datahub_query_metric", {"metric_id": "MET-0104"}),
    ("datahub_list_records", {"q": "acme"}),
    ("datahub_get_record", {"record_id": "V-104"}),
    ("datahub_update_record", {"record_id": "V-104", "fields": {"tax_id": "DE-1"}}),
    ("datahub_search_documents", {"q": "bank", "kind": "policy"}),
    ("datahub_get_document", {"document_id": "DOC-0001", "section": "Checks"}),
    ("datahub_list_datasets", {}),
    ("datahub_get_dataset", {"dataset_id": "DS-0001"}),
    (
        "datahub_query_dataset",
        {"dataset_id": "DS-0001", "aggregates": [{"function": "sum", "column": "points"}]},
    ),
    ("datahub_quarantine_metric", {"metric_id": "MET-0200", "reason": "It never moves."}),
    ("datahub_release_metric", {"metric_id": "MET-0200", "reason": "It need not."}),
    ("datahub_list_people", {"role": "cfo"}),
    ("datahub_get_person", {"person_id": "sarah.chen"}),
    ("datahub_get_approver", {"role": "cfo"}),
    ("ticketdesk_list_tickets", {"status": "triage"}),
    ("ticketdesk_search_tickets", {"q": "V-10"}),
    ("ticketdesk_get_ticket", {"ticket_id": "TD-1042"}),
    ("ticketdesk_get_rules", {"kind": "vendor_onboarding"}),
    ("approvalflow_list_approval_types", {}),
    ("approvalflow_get_approval_type", {"type_id": "vendor_approval"}),
    ("approvalflow_get_policy", {"type_id": "vendor_approval"}),
]

ACCESS: list[Stop] = [
    ("datahub_list_access", {}),
    ("datahub_request_access", {"permission": "write_records", "reason": "The task needs it."}),
    ("datahub_get_access", {"permission": "write_records"}),
]

MESSAGES: list[Stop] = [
    ("datahub_message_colleague", {"to": "ben.okafor", "about": "V-104", "body": "Are the papers complete?"}),
    ("datahub_list_messages", {"about": "V-104"}),
    ("datahub_get_message", {"message_id": "MSG-0001"}),
]

TICKETS: list[Stop] = [
    (
        "ticketdesk_create_ticket",
        {"kind": "task", "title": "Ask the bank", "description": "Ask.", "blocks": "TD-1042"},
    ),
    ("ticketdesk_update_ticket", {"ticket_id": "TD-1045", "priority": "high"}),
    ("ticketdesk_assign_ticket", {"ticket_id": "TD-1045", "assignee": "david.kim"}),
    ("ticketdesk_transition_ticket", {"ticket_id": "TD-1045", "to": "in_progress", "reason": "Asking."}),
    ("ticketdesk_transition_ticket", {"ticket_id": "TD-1045", "to": "done", "reason": "Asked."}),
    (
        "ticketdesk_verify_ticket",
        {"ticket_id": "TD-1045", "evidence": "Letter.", "references": ["V-104"]},
        "ben.okafor",
    ),
    ("ticketdesk_resolve_blocker", {"ticket_id": "TD-1042", "blocker_id": "TD-1045"}),
    ("ticketdesk_add_comment", {"ticket_id": "TD-1042", "body": "The bank agrees."}),
    ("ticketdesk_list_comments", {"ticket_id": "TD-1042"}),
    ("ticketdesk_link_ticket", {"ticket_id": "TD-1042", "kind": "relates", "target": "V-104"}),
    ("ticketdesk_list_links", {"ticket_id": "TD-1042"}),
    (
        "ticketdesk_plan_change",
        {"ticket_id": "TD-1042", "system": "SVC-7", "procedure": "restart", "category": "emergency"},
    ),
    ("ticketdesk_roll_out_change", {"change_id": "CHG-101"}),
    ("ticketdesk_roll_back_change", {"change_id": "CHG-101", "reason": "It did not help."}),
    ("ticketdesk_list_changes", {"system": "SVC-7"}),
    ("ticketdesk_close_ticket", {"ticket_id": "TD-1045", "resolution": "Settled."}),
]

APPROVAL: list[Stop] = [
    (
        "approvalflow_submit_approval",
        {
            "type": "vendor_approval",
            "ticket_id": "TD-1042",
            "approver": "david.kim",
            "fields": {**ACME, "compliance_score": 72},
        },
    ),
    ("datahub_refresh_data", {"metric_id": "MET-0104"}),
    ("datahub_list_jobs", {"status": "running"}),
    HOUR,
    ("datahub_get_job", {"job_id": "JOB-0001"}),
    ("datahub_get_metric_history", {"metric_id": "MET-0104"}),
    (
        "ticketdesk_verify_ticket",
        {"ticket_id": "TD-1042", "evidence": "Read the papers.", "references": ["V-104"]},
    ),
    ("approvalflow_check_status", {"request_id": "APR-0001"}),
    2 * HOUR,
    ("approvalflow_get_request", {"request_id": "APR-0001"}),
    ("approvalflow_add_evidence", {"request_id": "APR-0001", "kind": "document", "reference": "Report"}),
    ("approvalflow_resubmit_request", {"request_id": "APR-0001", "fields": {"compliance_score": 85}}),
    2 * HOUR,
    ("approvalflow_list_approvals", {"ticket_id": "TD-1042"}),
    ("approvalflow_get_audit", {"request_id": "APR-0002"}),
    ("ticketdesk_get_history", {"ticket_id": "TD-1042"}),
]

ESCALATION: list[Stop] = [
    4 * DAY - 8 * HOUR,
    ("datahub_refresh_data", {"metric_id": "MET-0106"}),
    2 * HOUR,
    (
        "approvalflow_submit_approval",
        {
            "type": "vendor_approval",
            "ticket_id": "TD-1044",
            "approver": "sarah.chen",
            "fields": {**ACME, "compliance_score": 90},
        },
    ),
    HOUR,
    ("approvalflow_escalate", {"request_id": "APR-0003", "reason": "She is away."}),
    (
        "datahub_set_delegate",
        {"person_id": "sarah.chen", "delegate": "ben.okafor", "types": ["vendor_approval"]},
    ),
    (
        "approvalflow_reassign_request",
        {"request_id": "APR-0003", "to": "ben.okafor", "reason": "David leaves."},
    ),
    ("approvalflow_withdraw_request", {"request_id": "APR-0003", "reason": "Not needed."}),
    ("ticketdesk_reopen_ticket", {"ticket_id": "TD-1044", "reason": "The papers are old."}),
    ("ticketdesk_return_ticket", {"ticket_id": "TD-1044", "question": "Where are the new papers?"}),
    ("ticketdesk_list_queues", {}),
    ("ticketdesk_route_ticket", {"ticket_id": "TD-1044", "queue": "vendors"}),
    (
        "ticketdesk_answer_ticket",
        {"ticket_id": "TD-1044", "body": "They came.", "document_ids": ["DOC-0001"]},
    ),
    ("ticketdesk_merge_ticket", {"ticket_id": "TD-1044", "into": "TD-1043"}),
    ("ticketdesk_query_tickets", {"q": "id:TD-1043,TD-1044 answered:no"}),
]

INBOX: list[Stop] = [
    ("datahub_list_budgets", {"cost_centre": "Vendor 42"}),
    ("datahub_get_budget", {"budget_id": "BUD-101"}),
    ("approvalflow_list_inbox", {}, "ana.lopez"),
    (
        "approvalflow_ask_requester",
        {"request_id": "PUR-1", "question": "Why?", "about": "purpose"},
        "ana.lopez",
    ),
    3 * HOUR,
    ("approvalflow_get_dossier", {"request_id": "PUR-1"}),
    (
        "approvalflow_decide_request",
        {"request_id": "PUR-1", "decision": "reject", "reason_code": "duplicate"},
        "ana.lopez",
    ),
    ("approvalflow_pass_on", {"request_id": "PUR-2", "to": "ben.okafor", "reason": "His."}, "ana.lopez"),
]

PURCHASES: list[Stop] = [
    (
        "approvalflow_request_purchase",
        {
            "item": "Van",
            "quantity": 1,
            "quote": "DOC-0001",
            "shares": [{"budget_id": "BUD-101", "amount": 5.5, "approver": "david.kim"}],
        },
    ),
    HOUR,
    ("approvalflow_list_purchases", {"budget_id": "BUD-101"}),
    ("approvalflow_place_order", {"purchase_id": "PUR-0001"}),
    (
        "approvalflow_request_purchase",
        {
            "item": "Bus",
            "quantity": 1,
            "quote": "DOC-0001",
            "shares": [{"budget_id": "BUD-101", "amount": 7.5, "approver": "david.kim"}],
        },
    ),
    ("approvalflow_withdraw_purchase", {"purchase_id": "PUR-0002", "reason": "A van will do."}),
]

VERIFIED: list[Stop] = [
    (
        "ticketdesk_verify_ticket",
        {"ticket_id": "TD-1043", "evidence": "Read the papers.", "references": ["V-104"]},
    )
]


def mended(service: str, object_id: str, **corrections: str) -> list[Stop]:
    """Return the stops at which what a service has set aside about an object is found, mended and brought.

    The id of the dead letter is left to whoever makes the tour: it is the first of those just listed.
    """
    return [
        (f"{service}_list_undelivered", {}),
        (f"{service}_list_dead_letters", {}),
        (f"{service}_redrive_dead_letter", {"corrections": corrections}),
        (f"{service}_replay_events", {"object_id": object_id}),
        0,
    ]


MENDED = [
    *mended("approvalflow", "TD-1043", kind="vendor_onboarding"),
    *mended("ticketdesk", "APR-0002", ticket_id="TD-1042"),
    *mended("datahub", "APR-0002", subject="V-104"),
]

LEAVING: list[Stop] = [
    ("datahub_list_entitlements", {"person": "david.kim"}),
    ("datahub_list_ownerships", {"owner": "david.kim"}),
    ("datahub_transfer_ownership", {"object_id": "V-104", "to": "ben.okafor"}),
    ("datahub_revoke_entitlement", {"entitlement_id": "ENT-101", "reason": "He leaves."}),
    ("datahub_deactivate_person", {"person_id": "david.kim", "mode": "suspend"}),
]

FORGETTING: list[Stop] = [
    ("datahub_find_personal_data", {"identifiers": ["the bank", "Acme Logistics"]}),
    ("ticketdesk_find_personal_data", {"identifiers": ["The bank agrees"]}),
    ("approvalflow_find_personal_data", {"identifiers": ["Acme Logistics"]}),
    (
        "approvalflow_redact_personal_data",
        {"request_id": "APR-0001", "basis": "TD-1042", "identifiers": ["Acme Logistics"]},
    ),
    ("datahub_erase_personal_data", {"object_id": "DOC-0001", "mode": "erase", "basis": "TD-1042"}),
    ("ticketdesk_erase_personal_data", {"object_id": "TD-1045", "mode": "erase", "basis": "TD-1042"}),
]

TOUR = [
    *LOOKING,
    *ACCESS,
    *MESSAGES,
    *TICKETS,
    *APPROVAL,
    *ESCALATION,
    *INBOX,
    *PURCHASES,
    *VERIFIED,
    *MENDED,
    *LEAVING,
    *FORGETTING,
]
