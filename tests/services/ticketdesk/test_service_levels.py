"""Service levels: when a first answer is due, what counts as one, and when a breach is recorded."""

import pytest

from companyos.sdk.simtime import HOUR, MINUTE

from .company import NOON, a_ticket
from .support import a_clock, case, open_support

HELLO = {"body": "Here is how.", "document_ids": ["DOC-0003", "DOC-0003"]}


@pytest.mark.parametrize(
    ("priority", "due"),
    [
        ("urgent", "2030-01-01T12:00:00Z"),
        ("high", "2030-01-01T13:00:00Z"),
        (None, "2030-01-01T15:00:00Z"),
        # Six hours are left on Tuesday; the other two are on Wednesday morning.
        ("low", "2030-01-02T11:00:00Z"),
    ],
)
async def test_the_answer_is_due_by_tier_and_priority_in_business_hours(desk, priority, due):
    world = await open_support(desk, a_ticket(priority=priority))

    assert (await case(world))["answer_due_at"] == due


async def test_an_answer_is_kept_with_its_documents_and_stops_the_clock(desk):
    world = await open_support(desk)

    answer = await world.post("/tickets/TD-1042/answers", json=HELLO)

    assert answer.status_code == 201
    assert answer.json() == {
        "id": "TD-1042-A1",
        "ticket_id": "TD-1042",
        "author": "ben.okafor",
        "body": "Here is how.",
        "documents": ["DOC-0003"],
        "answered_at": "2030-01-01T12:00:00Z",
    }
    assert (await case(world))["answered_at"] == "2030-01-01T12:00:00Z"


async def test_a_second_answer_does_not_move_the_first(desk):
    world = await open_support(desk)

    await world.post("/tickets/TD-1042/answers", json=HELLO)
    await world.advance(HOUR)
    await world.post("/tickets/TD-1042/answers", json=HELLO)

    assert sorted(await world.rows("answers")) == ["TD-1042-A1", "TD-1042-A2"]
    assert (await case(world))["answered_at"] == "2030-01-01T12:00:00Z"


async def test_a_raised_priority_brings_the_deadline_forward(desk):
    world = await open_support(desk)

    await world.patch("/tickets/TD-1042", json={"priority": "high"})
    await world.advance(HOUR)

    assert (await case(world))["breached_at"] == "2030-01-01T13:00:00Z"


async def test_a_lowered_priority_puts_the_deadline_off(desk):
    world = await open_support(desk, a_ticket(priority="high"))

    await world.patch("/tickets/TD-1042", json={"priority": "medium"})
    await world.advance(HOUR)
    await world.advance(HOUR)

    assert (await case(world))["breached_at"] is None


async def test_an_answer_after_a_deadline_that_a_new_priority_made_past_is_a_breach(desk):
    early = a_clock(started_at=NOON - 2 * HOUR - MINUTE)
    world = await open_support(desk, answer_clocks=[early])

    await world.patch("/tickets/TD-1042", json={"priority": "high"})
    await world.post("/tickets/TD-1042/answers", json=HELLO)

    assert (await case(world))["breached_at"] == "2030-01-01T12:00:00Z"


async def test_a_closed_ticket_is_not_answered(desk):
    world = await open_support(desk, a_ticket(status="closed"))

    answer = await world.post("/tickets/TD-1042/answers", json=HELLO)

    assert answer.json()["type"] == "ticket_closed"
    assert await world.rows("answers") == {}


async def test_a_ticket_of_a_tier_without_levels_has_no_deadline(desk):
    world = await open_support(desk, answer_clocks=[a_clock(tier="gift")])

    await world.post("/tickets/TD-1042/answers", json=HELLO)

    found = await case(world)
    assert (found["answer_due_at"], found["breached_at"]) == (None, None)
    assert found["answered_at"] == "2030-01-01T12:00:00Z"


async def test_a_ticket_without_a_service_level_can_be_answered_and_returned(desk):
    world = await open_support(desk, a_ticket(), a_ticket("TD-1043"))

    answered = await world.post("/tickets/TD-1043/answers", json=HELLO)
    returned = await world.post("/tickets/TD-1043/returns", json={"question": "Which card?"})

    assert (answered.status_code, returned.status_code) == (201, 201)
