"""What becomes of the tickets of colleagues who leave."""

import pytest

from tests.live_services import Desk, World

from .company import a_complete_ticket, open_company

LEFT = ("person.deactivated", {"person_id": "ben.okafor"})
LOCKED_OUT = (
    "entitlement.revoked",
    {"entitlement_id": "ENT-1", "person_id": "ben.okafor", "system": "ticketdesk"},
)


async def assignees(world: World) -> dict[str, str | None]:
    return {row["id"]: row["assignee"] for row in (await world.get("/tickets")).json()["items"]}


@pytest.mark.parametrize(("name", "payload"), [LEFT, LOCKED_OUT], ids=["left", "locked out"])
async def test_open_tickets_lose_an_assignee_who_left(desk: Desk, name: str, payload: dict[str, str]) -> None:
    tickets = [
        a_complete_ticket("TD-1"),
        a_complete_ticket("TD-2", assignee="ana.lopez"),
        a_complete_ticket("TD-3", status="closed"),
    ]
    world = await open_company(desk, *tickets)

    await world.deliver(name, payload)

    assert await assignees(world) == {"TD-1": None, "TD-2": "ana.lopez", "TD-3": "ben.okafor"}
    [line] = (await world.get("/tickets/TD-1/history")).json()["items"]
    assert (line["action"], line["field"], line["before"], line["after"]) == (
        "assigned",
        "assignee",
        "ben.okafor",
        None,
    )


async def test_ticket_cannot_be_assigned_to_somebody_who_left(desk: Desk) -> None:
    world = await open_company(desk, a_complete_ticket("TD-1", assignee="ana.lopez"))
    await world.deliver(*LEFT)

    answer = await world.post("/tickets/TD-1/assign", json={"assignee": "ben.okafor"})

    assert answer.json()["type"] == "person_inactive"


async def test_losing_access_to_another_system_leaves_the_tickets_alone(desk: Desk) -> None:
    world = await open_company(desk, a_complete_ticket("TD-1"))

    await world.deliver("entitlement.revoked", {**LOCKED_OUT[1], "system": "ledger"})

    assert await assignees(world) == {"TD-1": "ben.okafor"}


async def test_a_second_announcement_changes_nothing_more(desk: Desk) -> None:
    world = await open_company(desk, a_complete_ticket("TD-1"))

    await world.deliver(*LEFT)
    await world.deliver(*LOCKED_OUT, event_id="s9.datahub.2")

    assert (await world.get("/tickets/TD-1")).json()["version"] == 2
