"""Colleagues and reporters: what other people do about tickets as time passes."""

from typing import Any

import pytest

from companyos.sdk.simtime import HOUR
from tests.live_services import Desk, World

from .company import NOON, a_company, a_ticket
from .support import an_arrival, case, open_support


def intention(
    act: str, person: str = "cem.aydin", *, at: int = NOON + HOUR, **columns: Any
) -> dict[str, Any]:
    """Return an intention about TD-1042, by default carried out at 13:00."""
    row = {"id": f"INT-{act}", "ticket_id": "TD-1042", "person": person, "at": at, "act": act}
    return {**row, **columns}


async def with_colleagues(desk: Desk, *tickets: dict[str, Any], **tables: list[dict[str, Any]]) -> World:
    """Return a support desk at noon, at which cem.aydin works as well."""
    cem = {"id": "cem.aydin", "name": "Cem Aydin", "role": "analyst", "team": "Support", "active": True}
    return await open_support(desk, *tickets, people=[*a_company()["people"], cem], **tables)


async def items(world: World, of: str) -> list[dict[str, Any]]:
    return list((await world.get(f"/tickets/TD-1042/{of}")).json()["items"])


async def test_a_colleague_takes_a_ticket_on_which_nobody_has_worked(desk):
    world = await with_colleagues(desk, intentions=[intention("take")])

    before = await case(world)
    await world.advance(HOUR)
    after = await case(world)

    assert (before["assignee"], after["assignee"]) == (None, "cem.aydin")
    assert after["version"] == before["version"] + 1
    assert [(line["action"], line["actor"], line["at"]) for line in await items(world, "history")] == [
        ("assigned", "cem.aydin", "2030-01-01T13:00:00Z")
    ]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("answers", {"body": "We look into it."}),
        ("queue", {"queue": "billing"}),
        ("links", {"kind": "relates", "target": "V-104"}),
        ("assign", {"assignee": "ana.lopez"}),
        ("transition", {"to": "triage", "reason": "I look into it."}),
        ("returns", {"question": "Which card?"}),
        ("close", {"resolution": "Done."}),
    ],
)
async def test_a_colleague_leaves_a_ticket_on_which_somebody_has_worked(desk, path, body):
    world = await with_colleagues(desk, intentions=[intention("take")])

    assert (await world.post(f"/tickets/TD-1042/{path}", json=body)).is_success
    await world.advance(HOUR)

    assert (await case(world))["assignee"] != "cem.aydin"


async def test_a_ticket_with_a_priority_is_taken_care_of_already(desk):
    world = await with_colleagues(desk, intentions=[intention("take")])

    assert (await world.patch("/tickets/TD-1042", json={"priority": "high"})).is_success
    await world.advance(HOUR)

    assert (await case(world))["assignee"] is None


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "", {"priority": "high"}),
        ("POST", "/answers", {"body": "We look into it."}),
        ("POST", "/queue", {"queue": "billing"}),
    ],
    ids=["update", "answer", "route"],
)
async def test_an_act_that_names_the_version_from_before_is_refused_once_a_colleague_has_taken_the_ticket(
    desk, method, path, body
):
    world = await with_colleagues(desk, intentions=[intention("take")])
    seen = (await case(world))["version"]
    await world.advance(HOUR)

    taken = await case(world)
    answer = await world.call(method, f"/tickets/TD-1042{path}", json={**body, "version": seen})

    assert (answer.status_code, answer.json()["type"]) == (409, "version_conflict")
    assert await case(world) == taken


async def test_a_ticket_whose_answer_is_overdue_can_still_be_taken(desk):
    world = await with_colleagues(desk, intentions=[intention("take", at=NOON + 6 * HOUR)])

    await world.advance(6 * HOUR)

    found = await case(world)
    assert found["breached_at"] is not None
    assert found["assignee"] == "cem.aydin"


async def test_a_colleague_who_has_taken_a_ticket_answers_it_later(desk):
    answers = intention("answer", at=NOON + 2 * HOUR, text="Use another card.", documents=["DOC-0007"])
    world = await with_colleagues(desk, intentions=[intention("take"), answers])

    await world.advance(2 * HOUR)

    [answer] = (await world.rows("answers")).values()
    assert (answer["author"], answer["documents"]) == ("cem.aydin", ["DOC-0007"])
    assert (await case(world))["answered_at"] == "2030-01-01T14:00:00Z"


async def test_a_colleague_to_whom_the_ticket_is_not_assigned_does_not_answer_it(desk):
    world = await with_colleagues(desk, intentions=[intention("answer", text="Use another card.")])

    await world.advance(HOUR)

    assert await world.rows("answers") == {}


async def test_a_ticket_shows_when_its_reporter_wrote_last(desk):
    writes = [
        intention("write", id=f"INT-{hours}", at=NOON + hours * HOUR, person="ana.lopez", text="Any news?")
        for hours in (1, 3)
    ]
    world = await with_colleagues(desk, intentions=writes)

    await world.advance(HOUR)
    first = await case(world)
    await world.advance(2 * HOUR)
    second = await case(world)

    assert (first["reporter_wrote_at"], second["reporter_wrote_at"]) == (
        "2030-01-01T13:00:00Z",
        "2030-01-01T15:00:00Z",
    )
    told = [(one["author"], one["body"]) for one in await items(world, "comments")]
    assert told == [("ana.lopez", "Any news?")] * 2


async def test_a_comment_of_somebody_else_is_not_the_reporters(desk):
    world = await with_colleagues(desk, intentions=[intention("write", text="I had this, too.")])

    await world.advance(HOUR)

    assert len(await items(world, "comments")) == 1
    assert (await case(world))["reporter_wrote_at"] is None


async def test_a_reporter_can_write_on_a_closed_ticket(desk):
    writes = intention("write", person="ana.lopez", text="It is the other card.")
    world = await with_colleagues(desk, a_ticket(status="closed"), intentions=[writes])

    await world.advance(HOUR)

    assert len(await items(world, "comments")) == 1


async def test_intention_for_a_ticket_that_never_arrives_is_skipped(desk):
    world = await with_colleagues(desk, intentions=[intention("take", ticket_id="TD-1050")])

    await world.advance(HOUR)

    assert await world.rows("history") == {}


async def test_a_ticket_that_came_in_can_be_taken_like_any_other(desk):
    takes = intention("take", ticket_id="TD-1050", at=NOON + 2 * HOUR)
    world = await with_colleagues(desk, arrivals=[an_arrival()], intentions=[takes])

    await world.advance(2 * HOUR)

    assert (await case(world, "TD-1050"))["assignee"] == "cem.aydin"


async def test_intentions_of_colleagues_are_not_visible(desk):
    world = await with_colleagues(desk, intentions=[intention("take")])

    assert "INT-take" not in (await world.get("/query", params={"q": "id:TD-1042"})).text
