"""What TicketDesk tells the other services, and what it makes of what they tell it."""

import itertools

import pytest

from .company import NOON, a_complete_ticket, a_ticket, open_company

REQUESTED = {"request_id": "APR-0007", "type": "vendor_approval", "ticket_id": "TD-1042", "subject": "V-104"}
DECIDED = {**REQUESTED, "outcome": "approved", "activates_record": True, "decided_by": "ana.lopez"}
LINK = {
    "id": "TD-1042-L-APR-0007",
    "ticket_id": "TD-1042",
    "kind": "approval",
    "target": "APR-0007",
    "created_at": NOON,
}


async def test_verifying_is_published_once_it_is_committed(desk):
    world = await open_company(desk, a_complete_ticket(version=4))

    effects = await world.effects(
        "POST", "/tickets/TD-1042/verify", json={"evidence": "V-104", "references": ["V-104"]}
    )

    assert await world.events() == [
        {
            "id": "s1.ticketdesk.1",
            "name": "ticket.verified",
            "payload": {
                "ticket_id": "TD-1042",
                "kind": "vendor_onboarding",
                "subject": "V-104",
                "reporter": "ana.lopez",
                "verified_by": "ben.okafor",
                "version": 5,
            },
        }
    ]
    assert effects["events"] == [{"id": "s1.ticketdesk.1", "name": "ticket.verified"}]
    assert [change["table"] for change in effects["changes"]] == ["history"] * 4 + ["tickets"]


@pytest.mark.parametrize(
    ("row", "path", "body", "name", "payload"),
    [
        (
            a_ticket(status="verified", version=2),
            "/reopen",
            {"reason": "Wrong vendor."},
            "ticket.reopened",
            {
                "ticket_id": "TD-1042",
                "kind": "vendor_onboarding",
                "subject": "V-104",
                "reporter": "ana.lopez",
                "version": 3,
            },
        ),
        (
            a_ticket(),
            "/close",
            {"resolution": "Acme withdrew."},
            "ticket.closed",
            {"ticket_id": "TD-1042", "resolution": "Acme withdrew."},
        ),
    ],
)
async def test_the_turns_of_a_tickets_life_are_published(desk, row, path, body, name, payload):
    world = await open_company(desk, row)

    await world.post(f"/tickets/TD-1042{path}", json=body)

    assert [(event["name"], event["payload"]) for event in await world.events()] == [(name, payload)]


async def test_a_refused_call_publishes_nothing(desk):
    world = await open_company(desk, a_ticket())

    await world.post("/tickets/TD-1042/verify", json={"evidence": "V-104", "references": ["V-104"]})

    assert await world.events() == []


async def test_a_requested_approval_is_pending_on_its_ticket_and_linked_to_it(desk):
    world = await open_company(desk, a_ticket())

    await world.deliver("approval.requested", REQUESTED)

    assert (await world.get("/tickets/TD-1042")).json()["approval"] == "pending"
    assert await world.rows("links") == {LINK["id"]: LINK}


@pytest.mark.parametrize("outcome", ["approved", "rejected"])
async def test_a_decided_approval_is_shown_on_its_ticket(desk, outcome):
    world = await open_company(desk, a_ticket())
    await world.deliver("approval.requested", REQUESTED)

    await world.deliver("approval.decided", {**DECIDED, "outcome": outcome})

    ticket = (await world.rows("tickets"))["TD-1042"]
    assert (ticket["approval"], ticket["version"]) == (outcome, 3)
    lines = (await world.get("/tickets/TD-1042/history")).json()["items"]
    assert [(line["action"], line["field"], line["after"]) for line in lines] == [
        ("approval_requested", "approval", "pending"),
        ("approval_decided", "approval", outcome),
    ]
    assert await world.rows("links") == {LINK["id"]: LINK}


async def test_an_approval_lets_the_work_begin(desk):
    world = await open_company(desk, a_ticket(status="verified"))
    work = {"to": "in_progress", "reason": "approved"}
    refused = await world.post("/tickets/TD-1042/transition", json=work)

    await world.deliver("approval.decided", DECIDED)
    begun = await world.post("/tickets/TD-1042/transition", json=work)

    assert (refused.status_code, begun.status_code) == (409, 200)


@pytest.mark.parametrize("name", ["approval.requested", "approval.decided"])
@pytest.mark.parametrize("ticket_id", [None, "TD-9"])
async def test_an_approval_of_something_else_changes_nothing(desk, name, ticket_id):
    world = await open_company(desk, a_ticket())

    event_id = await world.deliver(name, {**DECIDED, "ticket_id": ticket_id})

    assert (await world.applied(event_id))["changes"] == []


async def test_news_of_approvals_leaves_the_same_rows_in_whatever_order_it_arrives(desk):
    news = [
        ("approval.requested", REQUESTED),
        ("approval.decided", {**DECIDED, "outcome": "rejected"}),
        ("approval.requested", {**REQUESTED, "request_id": "APR-0008"}),
    ]

    left = [await rows_after(desk, order) for order in itertools.permutations(news)]

    assert all(rows == left[0] for rows in left)
    assert left[0]["tickets"]["TD-1042"]["approval"] == "pending"


async def rows_after(desk, order):
    world = await open_company(desk, a_ticket())
    for name, payload in order:
        await world.deliver(name, payload)
    return {table: await world.rows(table) for table in ("tickets", "links", "history")}
