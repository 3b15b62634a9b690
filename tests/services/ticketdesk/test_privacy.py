"""What TicketDesk holds about a person, and how it lets go of what other services have erased."""

from typing import Any

import pytest

from tests.live_services import Desk, World

from .company import NOON, a_complete_ticket, a_ticket, open_company

NUMBER, NAME = "K-482", "Ada King"


def a_case(ticket_id: str = "TD-1042", **columns: Any) -> dict[str, Any]:
    text = f"{NAME} waits for a refund. Customer number {NUMBER}."
    return a_complete_ticket(ticket_id, **{"status": "closed", "description": text, **columns})


def a_comment(ticket_id: str = "TD-1050", body: str = f"Same as with {NAME} ({NUMBER}).") -> dict[str, Any]:
    comment = {"id": f"{ticket_id}-C1", "ticket_id": ticket_id, "author": "ana.lopez", "created_at": 100}
    return {**comment, "body": body}


async def care(desk: Desk, *tickets: dict[str, Any], **tables: list[dict[str, Any]]) -> World:
    known = {"comments": [a_comment(), a_comment("TD-1042", "Thanks.")], **tables}
    return await open_company(desk, *(tickets or (a_case(), a_ticket("TD-1050"))), **known)


async def found(world: World, *identifiers: str, **more: Any) -> Any:
    answer = await world.post("/personal-data/find", json={"identifiers": list(identifiers), **more})
    return answer.json()


async def erase(world: World, object_id: str, mode: str = "erase", **more: Any) -> Any:
    body = {"mode": mode, "basis": "TD-1001", **more}
    return await world.post(f"/personal-data/{object_id}/erase", json=body)


async def test_tickets_and_comments_that_mention_a_person_are_found(desk: Desk) -> None:
    world = await care(desk)

    listed = await found(world, NUMBER.lower(), "K-999")

    assert [(row["id"], row["type"], row["title"], row["status"]) for row in listed["items"]] == [
        ("TD-1042", "ticket", "Onboard Acme Supplies", "closed"),
        ("TD-1050-C1", "comment", "Onboard Acme Supplies", "new"),
    ]
    assert [row["matches"] for row in listed["items"]] == [[NUMBER.lower()]] * 2
    assert listed["total"] == 2


async def test_a_comment_whose_ticket_is_gone_is_found_too(desk: Desk) -> None:
    world = await care(desk, a_case())

    [_, comment] = (await found(world, NUMBER))["items"]

    assert (comment["id"], comment["kind"], comment["title"], comment["status"]) == ("TD-1050-C1", "", "", "")


async def test_a_closed_ticket_is_erased_with_everything_that_belongs_to_it(desk: Desk) -> None:
    world = await care(desk, a_case(status="triage"), a_ticket("TD-1050"))
    await world.post("/tickets/TD-1042/answers", json={"body": "Soon."})
    await world.post("/tickets/TD-1042/links", json={"kind": "relates", "target": "V-104"})
    await world.post("/tickets/TD-1042/close", json={"resolution": "Paid."})

    answer = await erase(world, "TD-1042")

    assert answer.json() == {
        "id": "TD-1042",
        "type": "ticket",
        "mode": "erase",
        "erased_by": "ben.okafor",
        "erased_at": "2030-01-01T12:00:00Z",
        "basis": "TD-1001",
    }
    assert list(await world.rows("tickets")) == ["TD-1050"]
    assert list(await world.rows("comments")) == ["TD-1050-C1"]
    assert [await world.rows(table) for table in ("links", "answers", "history")] == [{}, {}, {}]
    assert (await world.rows("erasures"))["TD-1042"]["erased_at"] == NOON
    assert [event["payload"] for event in await world.events() if event["name"] == "ticket.erased"] == [
        {"ticket_id": "TD-1042"}
    ]
    assert (await world.get("/tickets/TD-1042")).json()["type"] == "ticket_unknown"


async def test_an_open_ticket_is_not_erased(desk: Desk) -> None:
    world = await care(desk, a_case(status="triage"))

    answer = await erase(world, "TD-1042")

    assert (answer.status_code, answer.json()["type"]) == (409, "ticket_still_open")
    assert answer.json()["remedy"] == "ticketdesk_close_ticket"
    assert await world.rows("erasures") == {}


async def test_a_comment_is_erased_alone_and_announced_to_nobody(desk: Desk) -> None:
    world = await care(desk)

    await erase(world, "TD-1050-C1")

    assert list(await world.rows("comments")) == ["TD-1042-C1"]
    assert (await world.rows("erasures"))["TD-1050-C1"]["type"] == "comment"
    assert await world.events() == []


async def test_redacting_a_ticket_masks_it_wherever_it_is_repeated(desk: Desk) -> None:
    world = await care(desk, a_case(status="triage"))
    await world.patch("/tickets/TD-1042", json={"description": f"{NAME}, {NUMBER}: paid."})
    await world.post("/tickets/TD-1042/answers", json={"body": f"Dear {NAME}"})

    answer = await erase(world, "TD-1042", "redact", identifiers=[NAME, NUMBER])

    assert answer.status_code == 200
    ticket = (await world.rows("tickets"))["TD-1042"]
    assert (ticket["description"], ticket["version"]) == ("[redacted], [redacted]: paid.", 3)
    [line, _] = (await world.rows("history")).values()
    assert line["before"] == "[redacted] waits for a refund. Customer number [redacted]."
    [sent] = (await world.rows("answers")).values()
    assert sent["body"] == "Dear [redacted]"


async def test_a_comment_is_redacted_alone(desk: Desk) -> None:
    world = await care(desk)

    await erase(world, "TD-1050-C1", "redact", identifiers=[NAME, NUMBER])

    assert (await world.rows("comments"))["TD-1050-C1"]["body"] == "Same as with [redacted] ([redacted])."
    assert (await world.rows("tickets"))["TD-1050"]["version"] == 1


@pytest.mark.parametrize(
    ("object_id", "mode", "code"),
    [
        ("TD-9999", "erase", "personal_data_unknown"),
        ("DOC-0001", "redact", "personal_data_unknown"),
        ("TD-1050", "redact", "nothing_to_redact"),
    ],
)
async def test_invalid_erasure_changes_nothing(desk: Desk, object_id: str, mode: str, code: str) -> None:
    world = await care(desk)

    answer = await erase(world, object_id, mode, identifiers=[NAME])

    assert answer.json()["type"] == code
    assert await world.rows("erasures") == {}


async def test_tickets_let_go_of_what_datahub_has_erased(desk: Desk) -> None:
    world = await care(desk, a_ticket("TD-1"), a_ticket("TD-2", subject="V-105"))
    await world.post("/tickets/TD-2/links", json={"kind": "relates", "target": "V-104"})

    await world.deliver("data.erased", {"object_id": "V-104", "type": "record", "mode": "erase"})

    tickets = await world.rows("tickets")
    assert {key: row["subject"] for key, row in tickets.items()} == {"TD-1": None, "TD-2": "V-105"}
    assert await world.rows("links") == {}
    [line] = (await world.get("/tickets/TD-1/history")).json()["items"]
    assert (line["action"], line["field"], line["before"], line["after"]) == (
        "updated",
        "subject",
        "V-104",
        None,
    )


async def test_ticket_keeps_a_subject_that_was_only_redacted(desk: Desk) -> None:
    world = await care(desk, a_ticket("TD-1"))

    await world.deliver("data.erased", {"object_id": "V-104", "type": "record", "mode": "redact"})

    assert (await world.rows("tickets"))["TD-1"]["subject"] == "V-104"
