"""What the company asks: the rules of each kind of ticket, and the approval types with their policies."""

from typing import Any, Final

from companyos.simtime import DAY, HOUR

VENDOR_APPROVAL: Final = "vendor_approval"
EXPENSE_APPROVAL: Final = "expense_approval"
ESCALATION_APPROVAL: Final = "escalation_approval"
LICENSE_APPROVAL: Final = "license_approval"
HANDBOOK_APPROVAL: Final = "handbook_approval"
BUDGET_RELEASE: Final = "budget_release"

#: Who decides about budgets that were set aside.
BUDGET_OWNER: Final = "budget_owner"

#: What takes a permission, as DataHub calls it.
REFRESH_METRICS: Final = "refresh_metrics"
VERIFY_TICKETS: Final = "verify_tickets"
SUBMIT_REQUESTS: Final = "submit_requests"

#: How long an approver takes to decide.
DECISION_S: Final = HOUR

_FIELDS: Final = ["priority", "assignee", "cost_centre"]
#: Of tickets that are about something the company keeps a record of.
_FIELDS_OF_RECORDS: Final = [*_FIELDS, "subject"]

Row = dict[str, Any]


def rules() -> list[Row]:
    """Return the rule of every kind of ticket."""
    return [
        _rule("vendor_onboarding", ["medium", "high"], ["analyst", "procurement"], _FIELDS_OF_RECORDS),
        _rule("expense", ["low", "medium", "high"], ["accountant", "finance_director"], _FIELDS_OF_RECORDS),
        _rule("bug", ["low", "medium", "high", "urgent"], ["engineer", "cto"], _FIELDS_OF_RECORDS),
        _rule("license", ["medium", "high", "urgent"], ["analyst", "procurement"], _FIELDS_OF_RECORDS),
        _rule("handbook", ["low", "medium"], ["people_partner", "hr_lead"], _FIELDS_OF_RECORDS),
        _rule("remediation", ["medium", "high", "urgent"], ["analyst", "procurement"]),
        _rule("task", ["low", "medium", "high"], ["engineer", "analyst", "accountant", "people_partner"]),
    ]


def permissions() -> list[Row]:
    """Return what takes a permission in the company; at first everybody has it."""
    allowed = {
        REFRESH_METRICS: "Refresh metrics from their source, in DataHub.",
        VERIFY_TICKETS: "Verify tickets, in TicketDesk.",
        SUBMIT_REQUESTS: "Submit approval requests and make rejected ones again, in ApprovalFlow.",
    }
    return [
        {"id": name, "allows": allows, "grant_s": HOUR // 6, "roles": []} for name, allows in allowed.items()
    ]


def approval_types() -> list[Row]:
    """Return the approval types as they stand where a task does not set its own thresholds."""
    return [
        vendor_approval(minimum=80.0),
        expense_approval(),
        escalation_approval(minimum=5.0),
        license_approval(below=200),
        handbook_approval(below=50),
    ]


def vendor_approval(*, minimum: float) -> Row:
    """Return the approval that makes a vendor active, given the least compliance score that passes."""
    return _type(
        VENDOR_APPROVAL,
        "Vendor approval",
        "Lets a vendor into the supplier base. Needs the verified onboarding ticket and a fresh compliance score.",
        [
            _field("vendor_name", "string", "The vendor's name, exactly as in its record."),
            _field("compliance_score", "number", "The vendor's compliance score, as DataHub has it now."),
        ],
        [{"role": "cfo", "below": None}],
        ticket_kind="vendor_onboarding",
        metric_name="compliance_score",
        metric_field="compliance_score",
        minimum=minimum,
        activates_record=True,
    )


def expense_approval() -> Row:
    """Return the approval that pays an expense report; its amount decides who decides."""
    return _type(
        EXPENSE_APPROVAL,
        "Expense approval",
        "Pays an expense report. The amount is the report's total in the company's currency at today's rate.",
        [
            _field("report_id", "string", "Id of the expense report's record."),
            _field("amount", "number", "The report's expense_amount, as DataHub has it now."),
        ],
        [
            {"role": "manager", "below": 1000.0},
            {"role": "finance_director", "below": 10000.0},
            {"role": "cfo", "below": None},
        ],
        ticket_kind="expense",
        metric_name="expense_amount",
        metric_field="amount",
        route_field="amount",
    )


def escalation_approval(*, minimum: float) -> Row:
    """Return the approval that escalates a bug, given the least error rate (%) worth it."""
    return _type(
        ESCALATION_APPROVAL,
        "Escalation approval",
        "Takes engineers off other work to fix a bug. Needs the verified bug and a fresh error rate.",
        [_field("error_rate", "number", "The service's error rate in percent, as DataHub has it now.")],
        [{"role": "cto", "below": None}],
        ticket_kind="bug",
        metric_name="error_rate",
        metric_field="error_rate",
        minimum=minimum,
    )


def license_approval(*, below: int) -> Row:
    """Return the approval that renews a licence, given the seats from which finance decides."""
    return _type(
        LICENSE_APPROVAL,
        "Licence approval",
        "Renews a software licence for the seats in use. Needs the verified ticket and a fresh count of seats.",
        [
            _field("seats", "integer", "The contract's active_seats, as DataHub has it now."),
            _field("days_to_expiry", "integer", "The contract's days_to_expiry, as DataHub has it now."),
        ],
        [{"role": "procurement", "below": float(below)}, {"role": "finance_director", "below": None}],
        ticket_kind="license",
        metric_name="active_seats",
        metric_field="seats",
        route_field="seats",
        activates_record=True,
    )


def handbook_approval(*, below: int) -> Row:
    """Return the approval that publishes a handbook section, given the head count from which legal decides."""
    return _type(
        HANDBOOK_APPROVAL,
        "Handbook approval",
        "Publishes a section of the handbook. Needs the verified ticket and a fresh head count of the company.",
        [_field("headcount", "integer", "The company's own hr_headcount, as DataHub has it now.")],
        [{"role": "hr_lead", "below": float(below)}, {"role": "legal_counsel", "below": None}],
        ticket_kind="handbook",
        metric_name="hr_headcount",
        metric_field="headcount",
        route_field="headcount",
        activates_record=True,
    )


def budget_release() -> Row:
    """Return the approval that releases a budget; it rests on no figure and needs no verified ticket."""
    return _type(
        BUDGET_RELEASE,
        "Budget release",
        "Releases a budget that was set aside, so that the work it pays for can begin.",
        [_field("amount", "number", "How much is to be released, in the company's currency.")],
        [{"role": BUDGET_OWNER, "below": None}],
    )


def cost_centre_field(*, required: bool) -> Row:
    """Return the field of a request that states the cost centre."""
    meaning = "The cost centre of what the ticket is about, as the verified ticket names it."
    return {**_field("cost_centre", "string", meaning), "required": required}


def reporter_field(*, required: bool) -> Row:
    """Return the field of a request that states who reported its ticket."""
    meaning = "Person id of who reported the ticket, as the verified ticket names them."
    return {**_field("reporter", "string", meaning), "required": required}


def _rule(kind: str, allowed: list[str], verifier_roles: list[str], fields: list[str] = _FIELDS) -> Row:
    return {"id": kind, "allowed": allowed, "verifier_roles": verifier_roles, "required_fields": fields}


def _field(name: str, kind: str, description: str) -> Row:
    return {"name": name, "type": kind, "description": description, "required": True}


def _type(
    type_id: str, name: str, description: str, fields: list[Row], routes: list[Row], **columns: Any
) -> Row:
    return {
        "id": type_id,
        "name": name,
        "description": description,
        "policy_version": 1,
        "fields": fields,
        "routes": routes,
        "expires_s": 14 * DAY,
        "decision_s": DECISION_S,
        "ticket_kind": None,
        "metric_name": None,
        "metric_field": None,
        "minimum": None,
        "maximum": None,
        "route_field": None,
        "sod": True,
        "activates_record": False,
        **columns,
    }
