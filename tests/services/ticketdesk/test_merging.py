"""Merging: a duplicate is closed, linked, and nothing else is lost."""

import pytest

from .company import a_ticket
from .support import case, open_support

TWO = (a_ticket(), a_ticket("TD-1043"))


async def merged(world, ticket_id="TD-1043", into="TD-1042"):
    return await world.post(f"/tickets/{ticket_id}/merge", json={"into": into})


async def test_a_duplicate_is_closed_and_linked_to_the_ticket_it_repeats(desk):
    world = await open_support(desk, *TWO)

    answer = await merged(world)

    assert answer.json() == {
        "id": "TD-1043",
        "into": "TD-1042",
        "merged_by": "ben.okafor",
        "merged_at": "2030-01-01T12:00:00Z",
    }
    ticket = (await world.rows("tickets"))["TD-1043"]
    assert (ticket["status"], ticket["resolution"]) == ("closed", "Merged into TD-1042.")
    assert (await case(world, "TD-1043"))["merged_into"] == "TD-1042"
    links = (await world.rows("links")).values()
    assert [(link["ticket_id"], link["kind"], link["target"]) for link in links] == [
        ("TD-1043", "duplicates", "TD-1042")
    ]


async def test_a_merge_is_published(desk):
    world = await open_support(desk, *TWO)

    await merged(world)

    assert [(event["name"], event["payload"]) for event in await world.events()] == [
        ("ticket.merged", {"ticket_id": "TD-1043", "into": "TD-1042"})
    ]


async def test_a_duplicate_that_is_linked_already_is_not_linked_again(desk):
    world = await open_support(desk, *TWO)
    await world.post("/tickets/TD-1043/links", json={"kind": "duplicates", "target": "TD-1042"})

    answer = await merged(world)

    assert answer.status_code == 200
    assert len(await world.rows("links")) == 1


@pytest.mark.parametrize(
    ("columns", "into", "code"),
    [
        ({}, "TD-1043", "merged_into_itself"),
        ({}, "TD-9999", "ticket_unknown"),
        ({"status": "in_progress"}, "TD-1042", "work_has_begun"),
        ({"status": "verified"}, "TD-1042", "work_has_begun"),
        ({"status": "closed"}, "TD-1042", "ticket_closed"),
    ],
)
async def test_invalid_merge_is_refused_and_changes_nothing(desk, columns, into, code):
    world = await open_support(desk, a_ticket(), a_ticket("TD-1043", **columns))

    answer = await merged(world, into=into)

    assert answer.json()["type"] == code
    assert await world.rows("merges") == {}
    assert await world.events() == []


async def test_merge_into_a_closed_ticket_is_refused(desk):
    world = await open_support(desk, a_ticket(status="closed"), a_ticket("TD-1043"))

    answer = await merged(world)

    assert (answer.json()["type"], answer.json()["field"]) == ("ticket_closed", "into")
