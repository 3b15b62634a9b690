"""The small company that TicketDesk's tests start from, as rows of a base."""

from typing import Any

from tests.live_services import Desk, World

NOON = 43_200
KINDS = ("vendor_onboarding", "expense", "bug", "license", "handbook", "remediation", "task")


def a_ticket(ticket_id: str = "TD-1042", **columns: Any) -> dict[str, Any]:
    """Return the row of a new ticket that ana.lopez reported, with some columns different."""
    row = {
        "id": ticket_id,
        "kind": "vendor_onboarding",
        "title": "Onboard Acme Supplies",
        "description": "Acme wants to deliver paper from March on.",
        "status": "new",
        "reporter": "ana.lopez",
        "requires_approval": True,
        "created_at": 100,
        "updated_at": 100,
        "subject": "V-104",
    }
    return {**row, **columns}


def a_complete_ticket(ticket_id: str = "TD-1042", **columns: Any) -> dict[str, Any]:
    """Return the row of a ticket with everything that verification asks for."""
    return a_ticket(ticket_id, **{"priority": "high", "assignee": "ben.okafor", **columns})


def a_rule(kind: str, **columns: Any) -> dict[str, Any]:
    """Return the rules of a kind: medium or high, priority and assignee required, analysts and managers verify."""
    row = {
        "id": kind,
        "name": kind.capitalize(),
        "allowed": ["medium", "high"],
        "verifier_roles": ["analyst", "manager"],
        "required_fields": ["priority", "assignee"],
        "needs_approval": kind not in ("bug", "remediation", "task"),
    }
    return {**row, **columns}


def a_company(*tickets: dict[str, Any], **tables: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a company with these tickets: three colleagues, one of whom has left, and its rules."""
    people = [
        {"id": "ana.lopez", "name": "Ana Lopez", "role": "manager", "team": "buying", "active": True},
        {"id": "ben.okafor", "name": "Ben Okafor", "role": "analyst", "team": "buying", "active": True},
        {"id": "eve.gone", "name": "Eve Gone", "role": "analyst", "team": "buying", "active": False},
    ]
    rules = [a_rule(kind) for kind in KINDS]
    return {"people": people, "ticket_kinds": rules, "tickets": list(tickets), **tables}


async def open_company(desk: Desk, *tickets: dict[str, Any], **tables: list[dict[str, Any]]) -> World:
    """Return a world at noon of the first day in which the analyst ben.okafor acts."""
    return await desk.world(a_company(*tickets, **tables), now=NOON, actor="ben.okafor", role="analyst")
