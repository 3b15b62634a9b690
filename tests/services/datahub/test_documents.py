"""Searching documents, reading them by section, and the receipts that readings leave."""

from typing import Any

from companyos.sdk.simtime import DAY, to_iso
from tests.live_services import Desk, World

from .company import NOW, Row, start

HANDBOOK = """# Travel

Book early.

## Hotels

Rooms above 180 need a manager.

### Abroad

Ask finance about currencies.

## Trains

First class from four hours on."""


def document(document_id: str = "DOC-0001", **changes: Any) -> Row:
    row = {
        "id": document_id,
        "kind": "handbook",
        "title": "Travel",
        "department": "people",
        "author": "priya.nair",
        "written_at": NOW - 30 * DAY,
        "body": HANDBOOK,
    }
    return {**row, **changes}


async def ids(world: World, q: str, **filters: Any) -> list[str]:
    answer = await world.get("/documents", params={"q": q, **filters})
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


async def test_a_search_shows_what_tells_editions_apart_and_a_line_with_the_words(datahub: Desk) -> None:
    world = await start(datahub, documents=[document(version=3, status="superseded")])

    found = (await world.get("/documents", params={"q": "room manager"})).json()

    assert found == {
        "items": [
            {
                "id": "DOC-0001",
                "title": "Travel",
                "kind": "handbook",
                "department": "people",
                "status": "superseded",
                "version": 3,
                "written_at": to_iso(NOW - 30 * DAY),
                "snippet": "Rooms above 180 need a manager.",
            }
        ],
        "total": 1,
        "next_cursor": None,
    }


async def test_a_search_finds_other_forms_of_a_word_phrases_alternatives_and_exclusions(
    datahub: Desk,
) -> None:
    world = await start(
        datahub,
        documents=[
            document("DOC-0001", body="Approved requests are paid on Friday."),
            document("DOC-0002", body="On Friday, everybody pays for themselves."),
            document("DOC-0003", body="Requests approve nothing by themselves."),
        ],
    )

    assert set(await ids(world, "approving request")) == {"DOC-0001", "DOC-0003"}
    assert await ids(world, '"approved requests"') == ["DOC-0001"]
    assert set(await ids(world, "nothing or Friday")) == {"DOC-0001", "DOC-0002", "DOC-0003"}
    assert await ids(world, "Friday -request") == ["DOC-0002"]
    assert await ids(world, "unheard of") == []
    assert await ids(world, "the") == []


async def test_titles_count_for_more_and_equal_matches_are_in_the_order_of_ids(datahub: Desk) -> None:
    world = await start(
        datahub,
        documents=[
            document("DOC-0004", body="Nothing about retention."),
            document("DOC-0002", body="Nothing about retention."),
            document("DOC-0009", title="Retention", body="How long records are kept."),
        ],
    )

    assert await ids(world, "retention") == ["DOC-0009", "DOC-0002", "DOC-0004"]


async def test_a_search_is_narrowed_by_kind_department_and_status_in_any_case(datahub: Desk) -> None:
    world = await start(
        datahub,
        documents=[
            document("DOC-0001"),
            document("DOC-0002", kind="policy"),
            document("DOC-0003", department="Finance"),
            document("DOC-0004", status="draft"),
        ],
    )

    assert await ids(world, "hotels", kind="Policy") == ["DOC-0002"]
    assert await ids(world, "hotels", department="FINANCE") == ["DOC-0003"]
    assert await ids(world, "hotels", status="Draft") == ["DOC-0004"]
    assert await ids(world, "hotels", status="draft", kind="policy") == []


async def test_the_pages_of_a_search_go_on_where_the_one_before_ended(datahub: Desk) -> None:
    bodies = ["hotel", "hotel hotel", "hotel " * 5, "hotel", "hotel hotel and more of it"]
    rows = [document(f"DOC-{number:04d}", title="", body=body) for number, body in enumerate(bodies, start=1)]
    world = await start(datahub, documents=rows)
    whole = await ids(world, "hotel")

    pages, cursor = [], None
    while True:
        query = {"q": "hotel", "limit": 2} | ({"cursor": cursor} if cursor else {})
        answer = (await world.get("/documents", params=query)).json()
        assert answer["total"] == 5
        pages += [item["id"] for item in answer["items"]]
        if (cursor := answer["next_cursor"]) is None:
            break

    assert pages == whole
    assert sorted(whole) == [row["id"] for row in rows]
    assert whole[0] == "DOC-0003"


async def test_a_world_finds_no_document_of_another(datahub: Desk) -> None:
    world = await start(datahub, documents=[document("DOC-0001")])
    other = await start(datahub, documents=[document("DOC-0002")])

    assert await ids(world, "hotels") == ["DOC-0001"]
    assert await ids(other, "hotels") == ["DOC-0002"]
    assert await ids(other, f'" {world.context.chain[0]}"') == []


async def test_a_document_has_its_sections_and_a_section_those_below_it(datahub: Desk) -> None:
    world = await start(datahub, documents=[document(links=["V-104"], effective_from=NOW)])

    whole = (await world.post("/documents/DOC-0001/read")).json()
    part = (await world.post("/documents/DOC-0001/read", params={"section": "hotels"})).json()

    assert whole["sections"] == ["Travel", "Hotels", "Abroad", "Trains"]
    assert whole["body"] == HANDBOOK
    assert (whole["links"], whole["effective_from"]) == (["V-104"], to_iso(NOW))
    assert part["body"].startswith("## Hotels\n\nRooms above 180")
    assert part["body"].endswith("Ask finance about currencies.")


async def test_reading_leaves_one_receipt_of_a_version_for_each_reader(datahub: Desk) -> None:
    world = await start(datahub, documents=[document(version=2)])

    first = await world.effects("POST", "/documents/DOC-0001/read", params={"section": "Trains"})
    again = await world.effects("POST", "/documents/DOC-0001/read")
    other = await world.acting("ana.lopez", "auditor").effects("POST", "/documents/DOC-0001/read")

    assert [change["row"] for change in first["changes"]] == [
        {
            "id": "DOC-0001@2:alex.agent",
            "object_id": "DOC-0001",
            "version": 2,
            "reader": "alex.agent",
            "at": NOW,
        }
    ]
    assert again["changes"] == []
    assert [change["id"] for change in other["changes"]] == ["DOC-0001@2:ana.lopez"]


async def test_searching_leaves_no_receipt(datahub: Desk) -> None:
    world = await start(datahub, documents=[document()])

    effects = await world.effects("GET", "/documents", params={"q": "hotels"})

    assert effects["changes"] == []


async def test_unknown_document_or_section_is_refused_without_a_receipt(datahub: Desk) -> None:
    world = await start(datahub, documents=[document()])

    unknown = await world.post("/documents/DOC-0099/read")
    missing = await world.post("/documents/DOC-0001/read", params={"section": "Ships"})

    assert (unknown.status_code, unknown.json()["type"]) == (404, "document_unknown")
    assert unknown.json()["remedy"] == "datahub_search_documents"
    assert (missing.status_code, missing.json()["type"]) == (404, "section_unknown")
    assert missing.json()["allowed_values"] == ["Travel", "Hotels", "Abroad", "Trains"]
    assert await world.rows("receipts", scope="diff") == {}


async def test_documents_can_be_listed_by_a_filter_alone(datahub: Desk) -> None:
    kinds = [
        document(f"DOC-000{number}", kind=kind)
        for number, kind in enumerate(("calendar", "form", "calendar"))
    ]
    world = await start(datahub, documents=kinds)

    listed = (await world.get("/documents", params={"kind": "Calendar", "limit": 1})).json()
    rest = (await world.get("/documents", params={"kind": "calendar", "cursor": "DOC-0000"})).json()

    assert ([item["id"] for item in listed["items"]], listed["total"]) == (["DOC-0000"], 2)
    assert listed["items"][0]["snippet"] == "Book early."
    assert [item["id"] for item in rest["items"]] == ["DOC-0002"]


async def test_a_search_needs_words_or_a_filter(datahub: Desk) -> None:
    world = await start(datahub, documents=[document()])

    refused = await world.get("/documents")

    assert (refused.status_code, refused.json()["type"]) == (422, "query_required")
    assert "kind" in refused.json()["detail"]


async def test_a_search_finds_the_kind_in_another_spelling(datahub: Desk) -> None:
    kinds = [document("DOC-0001", kind="call_back"), document("DOC-0002", kind="calendar")]
    world = await start(datahub, documents=kinds)

    assert await ids(world, "call-back") == ["DOC-0001"]
