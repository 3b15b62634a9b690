"""Automations of TicketDesk run on other services' events and on changed tickets."""

from typing import Any

from companyos.sdk.automations import given
from tests.live_services import Desk, World

from .company import a_ticket

Row = dict[str, Any]
TICKET = {"first": "tickets", "where": {"subject": "$asset_id"}, "column": "id"}
STATUS = {"first": "tickets", "where": {"subject": "$asset_id"}, "column": "status"}
ASSIGNED = {"asset_id": "V-104", "asset_class": "A", "holder": "ana.lopez", "previous": None}


def rule(number: int, trigger: str, do: Row, *when: Row) -> Row:
    return {
        "id": f"AUT-{number}",
        "name": "Rule",
        "description": "A rule.",
        "number": number,
        "trigger": trigger,
        "when": list(when),
        "do": do,
    }


URGENT = {"action": "set_priority", "with": {"ticket": TICKET, "to": "urgent"}}
PAGE = {"action": "assign", "with": {"ticket": "$id", "to": "ben.okafor"}}
IS_URGENT = (given("$changed", "has", "priority"), given("$priority", "eq", "urgent"))


async def company(desk: Desk, *rules: Row, **columns: Any) -> World:
    kind = {"id": "vendor_onboarding", "name": "Vendor", "allowed": ["high", "urgent"]}
    ben = {"id": "ben.okafor", "name": "Ben", "role": "engineer", "team": "x", "active": True}
    return await desk.world(
        {
            "tickets": [a_ticket(**columns)],
            "ticket_kinds": [{**kind, "verifier_roles": [], "required_fields": []}],
            "people": [ben],
            "automations": list(rules),
        }
    )


async def assigned(world: World) -> Row:
    """Tell TicketDesk that the ticket's subject was assigned, wait for what follows, and return the ticket."""
    told = await world.deliver("asset.assigned", ASSIGNED)
    events = (await world.applied(told))["events"]
    while events:
        events = [one for event in events for one in (await world.applied(event["id"]))["events"]]
    tickets = await world.rows("tickets")
    return dict(tickets["TD-1042"])


async def test_an_event_elsewhere_leads_to_a_page_in_two_steps(desk: Desk) -> None:
    unattended = rule(1, "asset.assigned", URGENT, given(STATUS, "in", ["new", "triage"]))
    world = await company(desk, unattended, rule(2, "tickets", PAGE, *IS_URGENT))

    ticket = await assigned(world)

    assert (ticket["priority"], ticket["assignee"]) == ("urgent", "ben.okafor")
    history = await world.rows("history")
    assert {(line["actor"], line["field"]) for line in history.values()} == {
        ("AUT-1", "priority"),
        ("AUT-2", "assignee"),
    }


async def test_a_ticket_that_is_worked_on_is_left_alone(desk: Desk) -> None:
    unattended = rule(1, "asset.assigned", URGENT, given(STATUS, "in", ["new", "triage"]))
    world = await company(desk, unattended, status="in_progress")

    assert (await assigned(world))["priority"] is None


async def test_a_priority_that_its_kind_forbids_is_not_set(desk: Desk) -> None:
    low = {"action": "set_priority", "with": {"ticket": TICKET, "to": "low"}}
    comment = {"action": "comment", "with": {"ticket": TICKET, "text": "It moved."}}
    world = await company(desk, rule(1, "asset.assigned", low), rule(2, "asset.assigned", comment))

    assert (await assigned(world))["priority"] is None
    [written] = (await world.rows("comments")).values()
    assert (written["author"], written["body"]) == ("AUT-2", "It moved.")


async def test_a_rule_reopens_and_files_tickets(desk: Desk) -> None:
    reopen = {"action": "reopen", "with": {"ticket": TICKET, "reason": "Its asset moved."}}
    filed = {"kind": "vendor_onboarding", "title": "Check", "text": "Check it.", "subject": "$asset_id"}
    world = await company(
        desk,
        rule(1, "asset.assigned", reopen),
        rule(2, "asset.assigned", {"action": "file", "with": filed}),
        status="done",
    )

    told = await world.deliver("asset.assigned", ASSIGNED)

    assert [event["name"] for event in (await world.applied(told))["events"]] == ["ticket.reopened"]
    tickets = await world.rows("tickets")
    assert {row["status"] for row in tickets.values()} == {"triage", "new"}
    assert len(tickets) == 2


async def test_the_same_event_twice_starts_a_rule_once(desk: Desk) -> None:
    comment = {"action": "comment", "with": {"ticket": TICKET, "text": "It moved."}}
    world = await company(desk, rule(1, "asset.assigned", comment))

    event_id = await world.deliver("asset.assigned", ASSIGNED)
    await world.deliver("asset.assigned", ASSIGNED, event_id=event_id)

    assert len(await world.rows("comments")) == 1
