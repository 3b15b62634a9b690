"""Rows of a small company: each function returns one row, complete but for what a test changes."""

from typing import Any

import httpx

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk, World

Row = dict[str, Any]

#: Where the worlds of these tests start.
NOW = 10 * DAY


def vendor_approval(**changes: Any) -> Row:
    """Vendors with a compliance score of 80 or more are approved by the CFO within two hours."""
    row = {
        "id": "vendor_approval",
        "name": "Vendor approval",
        "description": "Lets a new vendor deliver.",
        "policy_version": 3,
        "fields": [
            {"name": "vendor_name", "type": "string", "description": "Name of the vendor.", "required": True},
            {"name": "compliance_score", "type": "number", "description": "Its score.", "required": True},
            {"name": "urgent", "type": "boolean", "description": "Whether it is urgent.", "required": False},
        ],
        "ticket_kind": "vendor_onboarding",
        "metric_name": "compliance_score",
        "metric_field": "compliance_score",
        "minimum": 80.0,
        "routes": [{"role": "cfo", "below": None}],
        "expires_s": 7 * DAY,
        "decision_s": 2 * HOUR,
        "activates_record": True,
    }
    return {**row, **changes}


def expense_approval(**changes: Any) -> Row:
    """Expenses are approved by a manager, a finance director or the CFO, depending on the amount."""
    row = {
        "id": "expense_approval",
        "name": "Expense approval",
        "description": "Pays an expense report.",
        "policy_version": 1,
        "fields": [
            {"name": "report_id", "type": "string", "description": "Id of the report.", "required": True},
            {"name": "amount", "type": "number", "description": "Total in euros.", "required": True},
        ],
        "metric_name": "expense_amount",
        "metric_field": "amount",
        "routes": [
            {"role": "manager", "below": 1000},
            {"role": "finance_director", "below": 10000},
            {"role": "cfo", "below": None},
        ],
        "route_field": "amount",
        "ticket_kind": "expense",
        "expires_s": 7 * DAY,
        "decision_s": HOUR,
    }
    return {**row, **changes}


def plain_approval(**changes: Any) -> Row:
    """A type that needs neither ticket nor metric: a manager decides within an hour."""
    row = {
        "id": "plain_approval",
        "name": "Plain approval",
        "description": "Anything that a manager may decide.",
        "policy_version": 1,
        "fields": [],
        "routes": [{"role": "manager", "below": None}],
        "expires_s": DAY,
        "decision_s": HOUR,
    }
    return {**row, **changes}


def person(person_id: str, role: str, **changes: Any) -> Row:
    return {"id": person_id, "name": person_id.replace(".", " ").title(), "role": role, **changes}


def cfo(**changes: Any) -> Row:
    """Sarah Chen, whose delegate David Kim may approve vendors while she is away."""
    delegation = {"delegate": "david.kim", "delegate_types": ["vendor_approval"], "delegate_limit": None}
    return person("sarah.chen", "cfo", **{**delegation, **changes})


def away_cfo(**changes: Any) -> Row:
    return cfo(**{"away": True, "away_until": NOW + DAY, **changes})


def ticket(**changes: Any) -> Row:
    """The verified onboarding ticket of vendor V-104."""
    row = {"id": "TD-1042", "kind": "vendor_onboarding", "subject": "V-104", "verified": True, "version": 4}
    return {**row, **changes}


def score(**changes: Any) -> Row:
    """The compliance score of vendor V-104: 85, and fresh for a day."""
    row = {
        "id": "MET-0104",
        "name": "compliance_score",
        "subject": "V-104",
        "value": 85.0,
        "as_of": NOW - DAY,
        "expires_at": NOW + DAY,
        "version": 2,
    }
    return {**row, **changes}


def stale_score(**changes: Any) -> Row:
    return score(**{"value": 72.0, "expires_at": NOW - DAY, "version": 1, **changes})


def request(**changes: Any) -> Row:
    """A request that lies at the CFO, submitted and handed over an hour ago."""
    row = {
        "id": "APR-0007",
        "type": "vendor_approval",
        "policy_version": 3,
        "ticket_id": "TD-1042",
        "subject": "V-104",
        "fields": {"vendor_name": "Acme", "compliance_score": 85.0},
        "evidence": {
            "ticket_version": 4,
            "metric_id": "MET-0104",
            "metric_version": 2,
            "metric_value": 85.0,
        },
        "requester": "alex.agent",
        "approver": "sarah.chen",
        "status": "pending",
        "submitted_at": NOW - HOUR,
        "decision_due": NOW + HOUR,
        "version": 2,
    }
    return {**row, **changes}


def rejection(attempt: int = 1, **changes: Any) -> Row:
    """The CFO wants the record attached at the first attempt."""
    row = {
        "id": f"vendor_approval:V-104:{attempt}",
        "reason_code": "missing_attachment",
        "remedy": "add_evidence",
        "evidence": "record",
    }
    return {**row, **changes}


def company(**tables: list[Row]) -> dict[str, list[Row]]:
    """Return the rows of a company in which everything is ready for an approval, with some tables different."""
    rows = {
        "approval_types": [vendor_approval(), expense_approval(), plain_approval()],
        "people": [
            cfo(),
            person("david.kim", "finance_director"),
            person("mia.boss", "manager"),
            person("alex.agent", "analyst"),
        ],
        "tickets": [ticket()],
        "metrics": [score()],
    }
    return {**rows, **tables}


async def start(approvalflow: Desk, **tables: list[Row]) -> World:
    """Return a world of such a company, in which the analyst alex.agent acts."""
    return await approvalflow.world(company(**tables), now=NOW, actor="alex.agent", role="analyst")


def submission(**changes: Any) -> Row:
    """The body of a submission that is right in every respect."""
    body = {
        "type": "vendor_approval",
        "ticket_id": "TD-1042",
        "approver": "sarah.chen",
        "fields": {"vendor_name": "Acme", "compliance_score": 85},
    }
    return {**body, **changes}


async def submit(world: World, **changes: Any) -> Row:
    """Submit, be accepted, and return the request."""
    answer = await world.post("/requests", json=submission(**changes))
    assert answer.status_code == 201, answer.text
    created: Row = answer.json()
    return created


async def read(world: World, request_id: str) -> Row:
    answer = await world.get(f"/requests/{request_id}")
    assert answer.status_code == 200, answer.text
    found: Row = answer.json()
    return found


async def trail(world: World, request_id: str) -> list[str]:
    """Return the actions of a request's audit, oldest first."""
    answer = await world.get(f"/requests/{request_id}/audit")
    return [entry["action"] for entry in answer.json()["items"]]


async def published(world: World, name: str) -> list[Row]:
    """Return the payloads of the events of a name that ApprovalFlow recorded in this world."""
    return [event["payload"] for event in await world.events() if event["name"] == name]


def refusal(answer: httpx.Response) -> tuple[int, str, str | None]:
    """Return status, code and field of a refusal."""
    problem = answer.json()
    return answer.status_code, problem["type"], problem.get("field")
