"""A support team with two queues and service levels, as rows of a base."""

from typing import Any

from companyos.sdk.simtime import HOUR
from tests.live_services import Desk, World

from .company import NOON, a_ticket, open_company

QUEUES = [
    {"id": "billing", "name": "Billing", "team": "Finance", "about": "Invoices.", "on_call": None},
    {"id": "intake", "name": "Intake", "team": "Support", "about": "What is new.", "on_call": "ana.lopez"},
]
OFFICE = {"id": "office", "opens_s": 9 * HOUR, "closes_s": 17 * HOUR, "weekdays": [0, 1, 2, 3, 4]}
ANSWER_S = {"urgent": HOUR, "high": 2 * HOUR, "medium": 4 * HOUR, "low": 8 * HOUR}
LEVELS = [
    {
        "id": f"plus:{priority}",
        "tier": "plus",
        "priority": priority,
        "answer_s": answer_s,
        "calendar": "office",
    }
    for priority, answer_s in ANSWER_S.items()
]


def a_clock(ticket_id: str = "TD-1042", **columns: Any) -> dict[str, Any]:
    """Return the clock of a ticket that was filed at eleven."""
    row = {"id": ticket_id, "tier": "plus", "started_at": NOON - HOUR}
    return {**row, **columns}


def an_arrival(**columns: Any) -> dict[str, Any]:
    """Return a ticket that comes in at one."""
    row = {
        "id": "TD-1050",
        "at": NOON + HOUR,
        "kind": "task",
        "title": "Card declined",
        "description": "The card was declined twice.",
        "reporter": "ana.lopez",
        "tier": "plus",
        "queue": "intake",
        "subject": "V-104",
    }
    return {**row, **columns}


async def open_support(desk: Desk, *tickets: dict[str, Any], **tables: list[dict[str, Any]]) -> World:
    """Return a world at noon with two queues and a tier, in which TD-1042 waits in intake unless told otherwise."""
    found = tickets or (a_ticket(kind="task", requires_approval=False),)
    place = {"id": found[0]["id"], "queue": "intake", "placed_by": "ana.lopez", "placed_at": 100}
    usual = {
        "queues": QUEUES,
        "calendars": [OFFICE],
        "service_levels": LEVELS,
        "placements": [place],
        "answer_clocks": [a_clock(found[0]["id"])],
    }
    return await open_company(desk, *found, **{**usual, **tables})


async def case(world: World, ticket_id: str = "TD-1042") -> dict[str, Any]:
    """Return a ticket with its queue and service level, as agents read it."""
    (found,) = (await world.get("/query", params={"q": f"id:{ticket_id}"})).json()["items"]
    return found
