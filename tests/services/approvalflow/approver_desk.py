"""An approver's desk in ApprovalFlow, with one request in its inbox, and the calls made at it."""

from typing import Any

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk, World

from .company import NOW, Row, company, person, request

AGENT = "alex.agent"


def purchase_approval(**changes: Any) -> Row:
    """Purchases are approved by the head of the unit, and committed to the budget of their cost centre."""
    row = {
        "id": "purchase_approval",
        "name": "Purchase approval",
        "description": "Buys something.",
        "policy_version": 1,
        "fields": [
            {"name": "amount", "type": "number", "description": "Total.", "required": True},
            {"name": "cost_centre", "type": "string", "description": "Who pays.", "required": True},
        ],
        "routes": [{"role": "unit_head", "below": None}],
        "route_field": "amount",
        "budget_field": "cost_centre",
        "expires_s": 14 * DAY,
        "decision_s": 2 * HOUR,
    }
    return {**row, **changes}


def head(**changes: Any) -> Row:
    """Hanna Head, who is away; the agent stands in for purchases up to 5,000."""
    cover = {"delegate": AGENT, "delegate_types": ["purchase_approval"], "delegate_limit": 5000.0}
    return person(
        "hanna.head", "unit_head", **{"away": True, "away_until": NOW + 5 * DAY, **cover, **changes}
    )


def purchase(request_id: str = "APR-0011", **changes: Any) -> Row:
    """A purchase of 1,200 that waits for Hanna Head."""
    row = {
        "type": "purchase_approval",
        "policy_version": 1,
        "ticket_id": None,
        "subject": None,
        "fields": {"amount": 1200.0, "cost_centre": "CC-310"},
        "evidence": {},
        "requester": "rita.requester",
        "approver": "hanna.head",
        "decision_due": NOW + 6 * DAY,
    }
    return request(id=request_id, **{**row, **changes})


PEOPLE = [
    head(),
    person(AGENT, "coordinator", by_hand=True),
    person("rita.requester", "engineer"),
    person("otto.other", "unit_head"),
]


async def open_desk(approvalflow: Desk, *, people: list[Row] | None = None, **tables: list[Row]) -> World:
    """Return a world in which the agent stands in for the absent head, with one purchase waiting unless given."""
    tables = {"requests": [purchase()], "approval_types": [purchase_approval()], **tables}
    rows = company(people=people or PEOPLE, **tables)
    return await approvalflow.world(rows, now=NOW, actor=AGENT, role="coordinator")


async def inbox(world: World) -> list[str]:
    return [item["id"] for item in (await world.get("/inbox")).json()["items"]]


async def decide(world: World, request_id: str = "APR-0011", **body: Any) -> Any:
    return await world.post(f"/requests/{request_id}/decision", json={"decision": "approve", **body})


async def ask(world: World, **body: Any) -> Any:
    question = {"question": "Where is the second quote?", "about": "quote"}
    return await world.post("/requests/APR-0011/questions", json={**question, **body})


async def pass_on(world: World, to: str) -> Any:
    return await world.post("/requests/APR-0011/pass_on", json={"to": to, "reason": "Not mine."})
