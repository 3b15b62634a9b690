"""Queues: routing, tickets that come in by themselves, and queries."""

import pytest

from companyos.sdk.simtime import HOUR

from .company import NOON, a_ticket
from .support import an_arrival, case, open_support


async def test_the_queues_say_what_belongs_in_them(desk):
    world = await open_support(desk)

    queues = (await world.get("/queues")).json()["items"]

    assert [(queue["id"], queue["about"], queue["on_call"]) for queue in queues] == [
        ("billing", "Invoices.", None),
        ("intake", "What is new.", "ana.lopez"),
    ]


async def test_a_routed_ticket_leaves_its_queue_for_another(desk):
    world = await open_support(desk)

    answer = await world.post("/tickets/TD-1042/queue", json={"queue": "Billing"})

    assert answer.json() == {
        "id": "TD-1042",
        "queue": "billing",
        "placed_by": "ben.okafor",
        "placed_at": "2030-01-01T12:00:00Z",
    }
    assert (await case(world))["queue"] == "billing"
    lines = (await world.get("/tickets/TD-1042/history")).json()["items"]
    assert [(line["action"], line["before"], line["after"]) for line in lines] == [
        ("routed", "intake", "billing")
    ]


async def test_a_ticket_that_is_there_already_stays_as_it_is(desk):
    world = await open_support(desk)

    answer = await world.post("/tickets/TD-1042/queue", json={"queue": "intake"})

    assert answer.json()["placed_by"] == "ana.lopez"
    assert await world.rows("history") == {}


async def test_an_unknown_queue_is_refused_with_those_there_are(desk):
    world = await open_support(desk)

    answer = await world.post("/tickets/TD-1042/queue", json={"queue": "sales"})

    assert (answer.status_code, answer.json()["type"]) == (404, "queue_unknown")
    assert answer.json()["allowed_values"] == ["billing", "intake"]
    assert (await case(world))["queue"] == "intake"


async def test_a_closed_ticket_is_not_routed(desk):
    world = await open_support(desk, a_ticket(status="closed"))

    answer = await world.post("/tickets/TD-1042/queue", json={"queue": "billing"})

    assert answer.json()["type"] == "ticket_closed"


async def test_a_ticket_comes_in_at_its_time_with_a_clock_of_its_own(desk):
    world = await open_support(desk, arrivals=[an_arrival()])

    before = (await world.get("/query", params={"q": "id:TD-1050"})).json()["items"]
    await world.advance(HOUR)
    came = await case(world, "TD-1050")

    assert before == []
    assert (came["title"], came["reporter"], came["status"]) == ("Card declined", "ana.lopez", "new")
    assert (came["queue"], came["tier"]) == ("intake", "plus")
    # Four hours from one o'clock, while no priority is set, are over just when the office closes.
    assert came["answer_due_at"] == "2030-01-01T17:00:00Z"


async def test_a_ticket_that_came_in_can_be_answered_like_any_other(desk):
    world = await open_support(desk, arrivals=[an_arrival()])
    await world.advance(HOUR)

    answer = await world.post("/tickets/TD-1050/answers", json={"body": "Use another card."})

    assert answer.status_code == 201
    assert (await case(world, "TD-1050"))["answered_at"] == "2030-01-01T13:00:00Z"


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("status:new", ["TD-1042", "TD-1043"]),
        ("status:NEW queue:intake", ["TD-1042"]),
        ("queue:intake queue_x", []),
        ('"card declined"', ["TD-1043"]),
        ("CARD", ["TD-1043"]),
        ("card acme", []),
        ("priority:high", ["TD-1044"]),
        ("answered:no", ["TD-1042", "TD-1043", "TD-1044"]),
        ("answered:yes", []),
        ("kind:bug", ["TD-1043"]),
        ("reporter:ana.lopez status:done", ["TD-1044"]),
        ("assignee:ben.okafor", ["TD-1044"]),
        ("id:TD-1044,TD-1042,TD-1", ["TD-1042", "TD-1044"]),
        ("100%", []),
    ],
)
async def test_a_query_finds_the_tickets_that_match_every_term(desk, q, found):
    world = await open_support(
        desk,
        a_ticket(),
        a_ticket("TD-1043", kind="bug", title="Card declined", description="Twice.", subject=None),
        a_ticket("TD-1044", status="done", priority="high", assignee="ben.okafor"),
    )

    answer = await world.get("/query", params={"q": q})

    assert [one["id"] for one in answer.json()["items"]] == found


@pytest.mark.parametrize(
    ("q", "allowed"),
    [
        ("colour:red", ["status", "priority", "answered", "queue", "kind", "reporter", "assignee", "id"]),
        ("answered:maybe", ["yes", "no"]),
        ("status:", None),
        ('"open', None),
        ("queue:a queue:b", None),
        ("one two three four", None),
        ("id:" + ",".join(["TD-1"] * 31), None),
    ],
)
async def test_a_query_that_means_nothing_is_refused_with_what_is_allowed(desk, q, allowed):
    world = await open_support(desk)

    answer = await world.get("/query", params={"q": q})

    assert (answer.status_code, answer.json()["type"], answer.json()["field"]) == (422, "query_invalid", "q")
    assert answer.json()["allowed_values"] == allowed or allowed is None


async def test_a_ticket_outside_every_queue_has_no_service_level(desk):
    world = await open_support(desk, a_ticket(), a_ticket("TD-1043"))

    plain = await case(world, "TD-1043")

    assert [plain[name] for name in ("queue", "tier", "answer_due_at", "answered_at", "merged_into")] == [
        None
    ] * 5
    assert plain["created_at"] == "2030-01-01T00:01:40Z"
    assert world.context.now == NOON
