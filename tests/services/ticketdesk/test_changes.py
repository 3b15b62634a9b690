"""Changes: planned for a ticket, rolled out, rolled back, and told to the others."""

import pytest

from companyos.sdk.simtime import DAY, to_iso

from .company import NOON, a_ticket, open_company

PLAN = {"system": "SYS-7", "procedure": "restart", "category": "emergency"}
LATER = {"category": "ordinary", "starts_at": to_iso(NOON + DAY)}


async def planned(world, ticket_id="TD-1042", **plan):
    return await world.post(f"/tickets/{ticket_id}/changes", json={**PLAN, **plan})


async def rolled_out(world, change_id="CHG-101"):
    return await world.post(f"/changes/{change_id}/roll-out")


async def rolled_back(world, change_id="CHG-101"):
    return await world.post(f"/changes/{change_id}/roll-back", json={"reason": "It did not help."})


async def test_a_planned_change_is_kept_and_nobody_hears_of_it(desk):
    world = await open_company(desk, a_ticket())

    answer = await planned(world)

    assert answer.status_code == 201
    assert answer.json() == {
        **PLAN,
        "id": "CHG-101",
        "ticket_id": "TD-1042",
        "status": "planned",
        "starts_at": None,
        "planned_by": "ben.okafor",
        "planned_at": to_iso(NOON),
        "rolled_out_by": None,
        "rolled_out_at": None,
        "rolled_back_at": None,
        "version": 1,
    }
    assert await world.events() == []


@pytest.mark.parametrize("starts_at", ["soon", "", "2030-13-01T00:00:00Z", "9999-12-31T23:59:59-12:00"])
async def test_a_time_that_no_clock_shows_is_refused_with_the_form_to_use(desk, starts_at):
    world = await open_company(desk, a_ticket())

    answer = await planned(world, category="ordinary", starts_at=starts_at)

    assert (answer.status_code, answer.json()["field"]) == (422, "starts_at")
    expected = f"starts_at: {starts_at!r} is not an instant; write it like 2030-03-04T09:00:00Z."
    assert answer.json()["detail"].endswith(expected)


async def test_planning_again_replaces_what_is_still_planned(desk):
    world = await open_company(desk, a_ticket())

    await planned(world)
    answer = await planned(world, procedure="FAILOVER", **LATER)

    assert answer.json()["id"] == "CHG-101"
    assert [answer.json()[name] for name in ("procedure", "category", "starts_at", "version")] == [
        "failover",
        "ordinary",
        LATER["starts_at"],
        2,
    ]
    assert list(await world.rows("changes")) == ["CHG-101"]


async def test_a_change_that_is_rolled_out_is_told_with_what_was_done_to_which_system(desk):
    world = await open_company(desk, a_ticket())
    await planned(world)

    answer = await rolled_out(world)

    assert [answer.json()[name] for name in ("status", "rolled_out_by", "rolled_out_at", "version")] == [
        "rolled_out",
        "ben.okafor",
        to_iso(NOON),
        2,
    ]
    told = {"change_id": "CHG-101", "ticket_id": "TD-1042", "system": "SYS-7", "procedure": "restart"}
    assert [(one["name"], one["payload"]) for one in await world.events()] == [("change.rolled_out", told)]


async def test_a_change_that_is_rolled_back_makes_room_for_another(desk):
    world = await open_company(desk, a_ticket())
    await planned(world)
    await rolled_out(world)

    refused = await planned(world)
    back = await rolled_back(world)
    again = await planned(world)

    assert (refused.status_code, refused.json()["type"]) == (409, "change_in_production")
    assert refused.json()["remedy"] == "ticketdesk_roll_back_change"
    assert (back.json()["status"], back.json()["rolled_back_at"]) == ("rolled_back", to_iso(NOON))
    assert again.json()["id"] == "CHG-102"
    assert [one["name"] for one in await world.events()] == ["change.rolled_out", "change.rolled_back"]


async def test_the_history_of_the_ticket_tells_what_became_of_its_change(desk):
    world = await open_company(desk, a_ticket())
    await planned(world)
    await rolled_out(world)
    await rolled_back(world)

    lines = (await world.get("/tickets/TD-1042/history")).json()["items"]

    assert [(one["action"], one["field"], one["after"]) for one in lines] == [
        ("change_planned", "change", "CHG-101"),
        ("change_rolled_out", "change", "CHG-101"),
        ("change_rolled_back", "change", "CHG-101"),
        ("change_rolled_back", "reason", "It did not help."),
    ]


@pytest.mark.parametrize(
    ("plan", "status", "code"),
    [
        ({"category": "ordinary"}, 422, "start_missing"),
        ({"category": "ordinary", "starts_at": to_iso(NOON)}, 409, "start_passed"),
    ],
)
async def test_a_time_that_is_missing_or_has_passed_is_refused(desk, plan, status, code):
    world = await open_company(desk, a_ticket())

    answer = await planned(world, **plan)

    assert (answer.status_code, answer.json()["type"], answer.json()["field"]) == (status, code, "starts_at")
    assert await world.rows("changes") == {}


async def test_invalid_change_is_refused_and_alters_nothing(desk):
    world = await open_company(desk, a_ticket(), a_ticket("TD-1043", status="closed"))
    await planned(world)
    not_live = await rolled_back(world)
    await rolled_out(world)
    before = await world.rows("changes")

    refused = [
        await planned(world, "TD-1043"),
        await planned(world, "TD-9"),
        await rolled_out(world, "CHG-9"),
        await rolled_out(world),
        not_live,
    ]

    assert [one.json()["type"] for one in refused] == [
        "ticket_closed",
        "ticket_unknown",
        "change_unknown",
        "change_not_planned",
        "change_not_live",
    ]
    assert await world.rows("changes") == before


async def test_changes_are_listed_by_ticket_and_by_system(desk):
    world = await open_company(desk, a_ticket(), a_ticket("TD-1043"))
    await planned(world)
    await planned(world, "TD-1043", system="SYS-8")

    every = (await world.get("/changes", params={"limit": 1})).json()
    of_ticket = (await world.get("/changes", params={"ticket_id": "TD-1043"})).json()
    of_system = (await world.get("/changes", params={"system": "SYS-7"})).json()

    assert (every["total"], every["next_cursor"]) == (2, "CHG-101")
    assert [one["id"] for one in of_ticket["items"]] == ["CHG-102"]
    assert [one["id"] for one in of_system["items"]] == ["CHG-101"]
