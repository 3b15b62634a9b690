"""What DataHub holds about a person: found by what identifies them, and erased or redacted for good."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY
from tests.live_services import Desk, World

from .company import NOW, Row, entitlement, owned, published, start, vendor

NUMBER, MAIL, NAME = "K-482", "ada.king7@post.example", "Ada King"


def record(**changes: Any) -> Row:
    fields = {"customer_no": NUMBER, "email": MAIL, "town": "Graz"}
    return vendor(id="CUS-7", kind="customer", name=NAME, fields=fields, **changes)


def letter(**changes: Any) -> Row:
    row = {"id": "DOC-0007", "kind": "letter", "title": f"Letter of {NAME}", "department": "care"}
    row |= {"author": "sarah.chen", "written_at": NOW - DAY, "body": f"My lamp broke. ADA KING, {NUMBER}."}
    return {**row, **changes}


def mail(**changes: Any) -> Row:
    row = {"id": "MSG-0007", "thread": "MSG-0007", "sender": MAIL, "recipient": "care", "sent_at": NOW - DAY}
    return {**row, "subject": "Thanks", "body": "The lamp is fine.", **changes}


def portal(**changes: Any) -> Row:
    return entitlement(7, MAIL, system="customer_portal", **changes)


async def care(datahub: Desk, **tables: list[Row]) -> World:
    everything = {
        "records": [record(), vendor()],
        "documents": [letter()],
        "messages": [mail()],
        "entitlements": [portal(), entitlement()],
    }
    return await start(datahub, **{**everything, **tables})


async def found(world: World, *identifiers: str, **more: Any) -> Any:
    answer = await world.post("/personal-data/find", json={"identifiers": list(identifiers), **more})
    return answer.json()


async def erase(world: World, object_id: str, mode: str = "erase", **more: Any) -> Any:
    body = {"mode": mode, "basis": "TD-1042", **more}
    return await world.post(f"/personal-data/{object_id}/erase", json=body)


async def test_search_finds_every_object_that_mentions_a_person(datahub: Desk) -> None:
    world = await care(datahub)

    listed = await found(world, NUMBER, MAIL.upper())

    assert [(row["id"], row["type"], row["kind"], row["title"]) for row in listed["items"]] == [
        ("CUS-7", "record", "customer", NAME),
        ("DOC-0007", "document", "letter", "Letter of Ada King"),
        ("ENT-7", "entitlement", "customer_portal", MAIL),
        ("MSG-0007", "message", "message", "Thanks"),
    ]
    assert [row["matches"] for row in listed["items"]] == [
        [NUMBER, MAIL.upper()],
        [NUMBER],
        [MAIL.upper()],
        [MAIL.upper()],
    ]
    assert listed["total"] == 4


@pytest.mark.parametrize("part", ["K-48", "-482", "ada.king7@post", "king7@post.example", "K_482", "%%%%"])
async def test_only_whole_identifiers_are_found(datahub: Desk, part: str) -> None:
    others = vendor(id="CUS-8", fields={"customer_no": "K-4821", "email": f"x{MAIL}"})
    world = await care(datahub, records=[others])

    items = (await found(world, part))["items"]

    assert [row["id"] for row in items] == {
        "king7@post.example": ["CUS-8", "ENT-7", "MSG-0007"],
        "ada.king7@post": ["ENT-7", "MSG-0007"],
    }.get(part, [])


async def test_a_list_goes_on_across_types(datahub: Desk) -> None:
    world = await care(datahub)

    first = await found(world, NUMBER, MAIL, limit=2)
    second = await found(world, NUMBER, MAIL, limit=2, cursor=first["next_cursor"])

    assert [row["id"] for page in (first, second) for row in page["items"]] == [
        "CUS-7",
        "DOC-0007",
        "ENT-7",
        "MSG-0007",
    ]
    assert (first["total"], second["total"]) == (4, 4)


@pytest.mark.parametrize("identifiers", [[], ["K4"], ["K-482"] * 11, ["    "], ["K-482\0"]])
async def test_invalid_identifiers_are_refused(datahub: Desk, identifiers: list[str]) -> None:
    world = await care(datahub)

    answer = await world.post("/personal-data/find", json={"identifiers": identifiers})

    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("object_id", "type_", "table"),
    [
        ("CUS-7", "record", "records"),
        ("DOC-0007", "document", "documents"),
        ("MSG-0007", "message", "messages"),
        ("ENT-7", "entitlement", "entitlements"),
    ],
)
async def test_erased_object_is_gone_and_leaves_an_audit_entry(
    datahub: Desk, object_id: str, type_: str, table: str
) -> None:
    world = await care(datahub)

    answer = await erase(world, object_id)

    assert answer.status_code == 200
    assert object_id not in await world.rows(table)
    row = (await world.rows("erasures"))[object_id]
    assert row == {
        "id": object_id,
        "type": type_,
        "mode": "erase",
        "erased_by": "alex.agent",
        "erased_at": NOW,
        "basis": "TD-1042",
    }
    assert await published(world, "data.erased") == [{"object_id": object_id, "type": type_, "mode": "erase"}]
    assert object_id not in [one["id"] for one in (await found(world, NUMBER, MAIL))["items"]]


async def test_with_a_record_go_its_recorded_changes_and_its_owner(datahub: Desk) -> None:
    world = await care(datahub, ownerships=[owned("CUS-7"), owned("V-104")])
    await world.patch("/records/CUS-7", json={"fields": {"town": "Turin"}})

    await erase(world, "CUS-7")

    assert await world.rows("changes") == {}
    assert list(await world.rows("ownerships")) == ["V-104"]


async def test_redacting_masks_the_identifiers_and_keeps_the_rest(datahub: Desk) -> None:
    world = await care(datahub)
    await world.patch("/records/CUS-7", json={"name": f"{NAME} (moved)"})

    for object_id in ("CUS-7", "DOC-0007", "MSG-0007", "ENT-7"):
        answer = await erase(world, object_id, "redact", identifiers=[NAME, NUMBER, MAIL])
        assert answer.status_code == 200

    customer, paper = (await world.rows("records"))["CUS-7"], (await world.rows("documents"))["DOC-0007"]
    assert customer["name"] == "[redacted] (moved)"
    assert customer["fields"] == {"customer_no": "[redacted]", "email": "[redacted]", "town": "Graz"}
    assert (paper["title"], paper["body"]) == (
        "Letter of [redacted]",
        "My lamp broke. [redacted], [redacted].",
    )
    assert (await world.rows("messages"))["MSG-0007"]["sender"] == "[redacted]"
    assert (await world.rows("entitlements"))["ENT-7"]["person_id"] == "[redacted]"
    [change] = (await world.rows("changes")).values()
    assert change["before"] == {"name": "[redacted]"}
    assert (await found(world, NAME, NUMBER, MAIL))["items"] == []


@pytest.mark.parametrize("identifiers", [[], ["Ben Okafor"]])
async def test_object_without_any_of_the_identifiers_is_not_redacted(
    datahub: Desk, identifiers: list[str]
) -> None:
    world = await care(datahub)

    answer = await erase(world, "DOC-0007", "redact", identifiers=identifiers)

    assert (answer.status_code, answer.json()["type"]) == (409, "nothing_to_redact")
    assert await world.rows("erasures") == {}
    assert await world.events() == []


async def test_unknown_or_erased_object_cannot_be_erased(datahub: Desk) -> None:
    world = await care(datahub)
    await erase(world, "MSG-0007")

    again, unknown = await erase(world, "MSG-0007"), await erase(world, "TD-1042")

    assert (again.status_code, again.json()["type"]) == (404, "personal_data_unknown")
    assert unknown.json()["type"] == "personal_data_unknown"
    assert len(await world.rows("erasures")) == 1


async def test_redacted_object_can_still_be_erased(datahub: Desk) -> None:
    world = await care(datahub)
    await erase(world, "DOC-0007", "redact", identifiers=[NAME])

    await erase(world, "DOC-0007", "ERASE")

    assert (await world.rows("erasures"))["DOC-0007"]["mode"] == "erase"
    assert await world.rows("documents") == {}
