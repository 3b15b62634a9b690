"""The company that a tour of every tool is made for."""

from typing import Any

from companyos.sdk.simtime import DAY, HOUR
from tests.integration.events.company import NOW, Rows
from tests.integration.events.story import crowded_company

START = NOW
_BOLTS = {"line": 1, "text": "Bolts", "quantity": 100, "unit": "piece", "unit_price": 20.0, "price_per": 100}


def company() -> Rows:
    """Return the crowded company, in which the CFO comes back and leaves again, and tasks have rules."""
    rows = crowded_company()
    again = {"id": "A-0009", "person_id": "sarah.chen", "reason": "leave"}
    rows["datahub"]["absences"].append({**again, "starts_at": NOW + 4 * DAY, "ends_at": NOW + 9 * DAY})
    rule = {"id": "task", "name": "Task", "allowed": ["low", "high"], "verifier_roles": ["analyst"]}
    rule |= {"required_fields": [], "needs_approval": False}
    others = [one for one in rows["ticketdesk"]["ticket_kinds"] if one["id"] != rule["id"]]
    rows["ticketdesk"]["ticket_kinds"] = [*others, rule]
    write = {"id": "write_records", "allows": "Correct records.", "grant_s": HOUR, "roles": ["cfo"]}
    rows["datahub"]["permissions"] = [write]
    vendors = {"id": "vendors", "name": "Vendors", "team": "Buying", "about": "Papers.", "on_call": None}
    rows["ticketdesk"]["queues"] = [vendors]
    rows["datahub"]["entitlements"] = [_access()]
    rows["datahub"]["assets"] = [{"id": "AST-101", "name": "Key", "asset_class": "key"}]
    quarter = {"id": "PER-101", "entity": "V-104", "name": "Q3 2030"}
    rows["datahub"]["periods"] = [{**quarter, "starts_at": NOW - 95 * DAY, "ends_at": NOW - 3 * DAY}]
    line = {"id": "PER-101:MET-0200", "period_id": "PER-101", "metric_id": "MET-0200", "owner": "ben.okafor"}
    rows["datahub"]["period_lines"] = [{**line, "category": "balance", "reference": 1.0}]
    rows["datahub"]["clearances"] = [{"id": "ben.okafor", "level": 2}]
    rows["datahub"]["automations"] = [_automation()]
    rows["datahub"]["purchase_orders"] = [_order()]
    rows["datahub"]["invoices"] = [_invoice()]
    rows["datahub"]["ownerships"] = [{"id": "V-104", "owner": "david.kim", "since": NOW - DAY}]
    _fill_an_inbox(rows)
    paying = {"id": "BUD-101", "cost_centre": "Vendor 42", "owner": "david.kim", "starts_at": NOW - DAY}
    rows["approvalflow"]["known_budgets"] = [paying]
    signing = {"id": "STG-1", "number": 1, "signers": "owners", "decision_s": HOUR}
    rows["approvalflow"]["purchase_stages"] = [signing]
    text = {"id": "DOC-0001", "kind": "policy", "title": "Vendors", "department": "procurement"}
    text |= {
        "author": "ben.okafor",
        "written_at": NOW - DAY,
        "body": "# Checks\n\nAsk the bank.\n\n# Files\n\nKeep.",
    }
    rows["datahub"]["documents"] = [text]
    rows["datahub"]["datasets"], rows["datahub"]["dataset_rows"] = _a_dataset()
    return rows


def _fill_an_inbox(rows: Rows) -> None:
    """Let two purchases wait for the manager, whose decisions are made by hand."""
    amount = {"name": "amount", "type": "number", "description": "Total.", "required": True}
    kind = {"id": "purchase_approval", "name": "Purchase", "description": "Buys.", "policy_version": 1}
    kind |= {"fields": [amount], "routes": [{"role": "manager", "below": None}], "route_field": "amount"}
    rows["approvalflow"]["approval_types"].append({**kind, "expires_s": 90 * DAY, "decision_s": HOUR})
    asked = {"type": kind["id"], "policy_version": 1, "requester": "david.kim", "approver": "ana.lopez"}
    asked |= {"status": "pending", "submitted_at": NOW - HOUR, "fields": {"amount": 20.0}}
    rows["approvalflow"]["requests"] = [{**asked, "id": f"PUR-{number}"} for number in (1, 2)]


def _a_dataset() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return a dataset of screenings, and its two rows."""
    column = {"name": "points", "type": "number", "description": "Points of a screening."}
    dataset = {"id": "DS-0001", "name": "screenings", "description": "One row each.", "owner": "ben.okafor"}
    dataset |= {"source": "screening-load", "loaded_at": NOW - DAY, "row_count": 2, "columns": [column]}
    values = ({"points": 72.0}, {"points": 85.0})
    rows = [
        {"id": f"DS-0001:{number}", "dataset_id": "DS-0001", "values": one}
        for number, one in enumerate(values)
    ]
    return [dataset], rows


def _access() -> dict[str, Any]:
    """Return access of the CFO's delegate to the tickets."""
    row = {"id": "ENT-101", "person_id": "david.kim", "system": "ticketdesk", "level": "write"}
    return {**row, "basis": "role", "owner": "sarah.chen", "granted_at": NOW - DAY}


def _order() -> dict[str, Any]:
    """Return an order of a hundred bolts."""
    row = {"id": "PO-101", "supplier_id": "V-104", "currency": "EUR", "ordered_by": "ben.okafor"}
    return {**row, "receiver": "david.kim", "ordered_at": NOW - 9 * DAY, "lines": [_BOLTS]}


def _invoice() -> dict[str, Any]:
    """Return the invoice of that order."""
    row = {"id": "INV-101", "number": "RE-7", "supplier_id": "V-104", "clerk": "ana.lopez", "currency": "EUR"}
    row |= {"order_id": "PO-101", "delivery_note": "DN-1", "account": "DE1", "total": 20.0}
    return {**row, "invoiced_at": NOW - DAY, "lines": [{**_BOLTS, "amount": 20.0}]}


def _automation() -> dict[str, Any]:
    """Return a rule by which whoever is given a key is cleared a level higher."""
    do = {"action": "change_clearance", "with": {"person": "$holder", "by": 1}}
    row = {"id": "AUT-101", "name": "Keys", "description": "A key raises its holder's clearance."}
    return {**row, "number": 1, "trigger": "asset.assigned", "when": [], "do": do}
