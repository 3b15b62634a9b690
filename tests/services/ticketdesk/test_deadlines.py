"""First answers to the second: which deadlines a clock is checked at, and what stops it."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, MINUTE, to_iso
from tests.live_services import Desk, World

from .company import NOON, a_ticket
from .support import LEVELS, a_clock, an_arrival, case, open_support

Row = dict[str, Any]
HELLO = {"body": "Here is how."}
#: The level of another tier, which is stricter than all of those of `plus`.
GOLD = {
    "id": "gold:medium",
    "tier": "gold",
    "priority": "medium",
    "answer_s": HOUR + 60,
    "calendar": "office",
}


def task(**columns: Any) -> Row:
    return a_ticket(**{"kind": "task", "requires_approval": False, **columns})


async def next_due(world: World) -> int | None:
    """Return what the world's clock waits for next."""
    due: int | None = (await world.advance(0))["next_due"]
    return due


async def breaches(world: World, ticket_id: str = "TD-1042") -> list[str]:
    """Return the instants of the breaches in a ticket's history."""
    lines = (await world.get(f"/tickets/{ticket_id}/history")).json()["items"]
    return [line["at"] for line in lines if line["action"] == "breached"]


async def test_a_clock_is_checked_at_the_deadlines_of_its_own_tier(desk: Desk) -> None:
    world = await open_support(desk, service_levels=[*LEVELS, GOLD])

    assert await next_due(world) == NOON + HOUR


@pytest.mark.parametrize(
    ("columns", "clock"),
    [({"status": "closed"}, {}), ({"status": "returned"}, {}), ({}, {"answered_at": NOON - MINUTE})],
    ids=["closed", "returned", "answered"],
)
async def test_a_clock_that_nobody_waits_for_is_never_checked(desk: Desk, columns: Row, clock: Row) -> None:
    world = await open_support(desk, task(**columns), answer_clocks=[a_clock(**clock)])

    assert await next_due(world) is None
    assert (await world.advance(DAY))["changes"] == []


@pytest.mark.parametrize(
    ("path", "body"),
    [("/tickets/TD-1042/answers", HELLO), ("/tickets/TD-1042/returns", {"question": "Which card?"})],
    ids=["answer", "question"],
)
async def test_an_answer_leaves_nothing_to_check(desk: Desk, path: str, body: Row) -> None:
    world = await open_support(desk)

    effects = await world.effects("POST", path, json=body)

    assert effects["next_due"] is None


@pytest.mark.parametrize(
    ("started_at", "breached_at"),
    [(NOON - HOUR, None), (NOON - HOUR - 1, to_iso(NOON))],
    ids=["at the deadline", "a second late"],
)
async def test_an_answer_at_its_deadline_is_in_time(
    desk: Desk, started_at: int, breached_at: str | None
) -> None:
    clock = a_clock(started_at=started_at)
    world = await open_support(desk, task(priority="urgent"), answer_clocks=[clock])

    await world.post("/tickets/TD-1042/answers", json=HELLO)

    assert (await case(world))["breached_at"] == breached_at


async def test_a_breach_is_recorded_once_whatever_deadlines_follow(desk: Desk) -> None:
    world = await open_support(desk, task(priority="high"))

    for _ in range(30):
        await world.advance(HOUR)

    assert await breaches(world) == [to_iso(NOON + HOUR)]
    assert (await case(world))["breached_at"] == to_iso(NOON + HOUR)


async def test_the_history_tells_the_deadline_that_was_missed(desk: Desk) -> None:
    world = await open_support(desk, task(priority="high"))

    await world.advance(HOUR)

    [line] = (await world.get("/tickets/TD-1042/history")).json()["items"]
    assert (line["field"], line["before"], line["after"]) == ("answer_due_at", None, str(NOON + HOUR))


async def test_a_ticket_closed_in_time_breaches_nothing(desk: Desk) -> None:
    world = await open_support(desk, task(priority="high"))
    await world.post("/tickets/TD-1042/close", json={"resolution": "A test."})

    await world.advance(DAY)

    assert ((await case(world))["breached_at"], await breaches(world)) == (None, [])


async def test_a_priority_without_a_level_has_no_deadline_while_it_lasts(desk: Desk) -> None:
    only_high = [level for level in LEVELS if level["priority"] == "high"]
    world = await open_support(desk, service_levels=only_high)

    await world.advance(HOUR)
    undecided = await case(world)

    assert (undecided["answer_due_at"], undecided["breached_at"]) == (None, None)


async def test_a_ticket_that_came_in_is_checked_like_any_other(desk: Desk) -> None:
    world = await open_support(desk, arrivals=[an_arrival()])
    await world.advance(HOUR)

    await world.advance(4 * HOUR - 1)
    before = (await case(world, "TD-1050"))["breached_at"]
    await world.advance(1)

    assert (before, await breaches(world, "TD-1050")) == (None, [to_iso(NOON + 5 * HOUR)])


@pytest.mark.parametrize(
    ("at", "came"), [(NOON - 1, False), (NOON, False), (NOON + 1, True)], ids=["past", "now", "to come"]
)
async def test_only_what_arrives_after_the_start_comes_in(desk: Desk, at: int, came: bool) -> None:
    world = await open_support(desk, arrivals=[an_arrival(at=at)])

    await world.advance(1)

    assert ("TD-1050" in await world.rows("tickets")) == came


async def test_a_ticket_that_came_in_is_filed_placed_and_on_record(desk: Desk) -> None:
    world = await open_support(desk, arrivals=[an_arrival()])

    await world.advance(HOUR)

    ticket = (await world.get("/tickets/TD-1050")).json()
    assert (ticket["kind"], ticket["description"], ticket["subject"]) == (
        "task",
        "The card was declined twice.",
        "V-104",
    )
    assert (ticket["requires_approval"], ticket["priority"], ticket["version"]) == (False, None, 1)
    assert (ticket["created_at"], ticket["updated_at"]) == (to_iso(NOON + HOUR), to_iso(NOON + HOUR))
    assert (await world.rows("placements"))["TD-1050"] == {
        "id": "TD-1050",
        "queue": "intake",
        "placed_by": "ana.lopez",
        "placed_at": NOON + HOUR,
    }
    [line] = (await world.get("/tickets/TD-1050/history")).json()["items"]
    assert (line["action"], line["field"], line["after"]) == ("created", "status", "new")


async def test_an_arrival_under_an_id_that_is_taken_changes_nothing(desk: Desk) -> None:
    taken = task(ticket_id="TD-1050", title="Mine")
    world = await open_support(desk, taken, arrivals=[an_arrival()], answer_clocks=[])

    effects = await world.advance(HOUR)

    assert effects["changes"] == []
    assert (await world.get("/tickets/TD-1050")).json()["title"] == "Mine"


async def test_a_ticket_outside_every_queue_is_routed_into_one(desk: Desk) -> None:
    world = await open_support(desk, placements=[])

    routed = await world.post("/tickets/TD-1042/queue", json={"queue": "billing"})

    assert routed.json()["queue"] == "billing"
    [line] = (await world.get("/tickets/TD-1042/history")).json()["items"]
    assert (line["field"], line["before"], line["after"]) == ("queue", None, "billing")
    assert (await world.get("/tickets/TD-1042")).json()["version"] == 1


async def test_a_late_answer_does_not_move_the_breach(desk: Desk) -> None:
    world = await open_support(desk, task(priority="high"))
    await world.advance(HOUR)
    await world.advance(HOUR)

    await world.post("/tickets/TD-1042/answers", json=HELLO)

    found = await case(world)
    assert (found["breached_at"], found["answered_at"]) == (to_iso(NOON + HOUR), to_iso(NOON + 2 * HOUR))
