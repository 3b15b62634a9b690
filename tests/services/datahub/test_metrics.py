"""Reading metrics and where they come from."""

from companyos.sdk.simtime import DAY, to_iso
from tests.live_services import Desk

from .company import NOW, score, source, start


async def test_a_reading_says_how_old_the_metric_is_and_that_it_is_stale(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()], sources=[source()])

    reading = await world.post("/catalog/metrics/MET-0104/query")

    assert reading.status_code == 200
    assert reading.json() == {
        "id": "MET-0104",
        "name": "compliance_score",
        "subject": "V-104",
        "value": 72.0,
        "unit": "points",
        "status": "ok",
        "as_of": to_iso(NOW - 4 * DAY),
        "expires_at": to_iso(NOW - 2 * DAY),
        "age_s": 4 * DAY,
        "is_stale": True,
        "source": "vendor_screening",
        "refresh_s": 3600,
        "version": 1,
    }


async def test_a_reading_of_a_fresh_metric_says_so(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score(as_of=NOW - DAY, value=None)])

    reading = (await world.post("/catalog/metrics/MET-0104/query")).json()

    assert reading["is_stale"] is False
    assert reading["value"] is None


async def test_reading_leaves_a_receipt_of_the_version_and_the_reader_and_changes_nothing_else(
    datahub: Desk,
) -> None:
    world = await start(datahub, metrics=[score(version=3)])

    effects = await world.effects("POST", "/catalog/metrics/MET-0104/query")

    assert effects["changes"] == [
        {
            "table": "receipts",
            "id": "MET-0104@3:alex.agent",
            "row": {
                "id": "MET-0104@3:alex.agent",
                "object_id": "MET-0104",
                "version": 3,
                "reader": "alex.agent",
                "at": NOW,
            },
        }
    ]
    assert effects["events"] == []


async def test_the_receipt_of_the_first_reading_stays(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])

    await world.post("/catalog/metrics/MET-0104/query")
    await world.advance(60)
    again = await world.effects("POST", "/catalog/metrics/MET-0104/query")
    other = await world.acting("ana.lopez", "auditor").effects("POST", "/catalog/metrics/MET-0104/query")

    assert again["changes"] == []
    assert [change["id"] for change in other["changes"]] == ["MET-0104@1:ana.lopez"]
    assert (await world.rows("receipts"))["MET-0104@1:alex.agent"]["at"] == NOW


async def test_metrics_are_listed_without_their_metrics(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])

    listed = (await world.get("/catalog/metrics")).json()["items"]

    assert [metric["id"] for metric in listed] == ["MET-0104"]
    assert listed[0]["is_stale"] is True
    assert "value" not in listed[0]


async def test_metrics_are_found_by_name_and_subject(datahub: Desk) -> None:
    seats = score(id="MET-0200", name="active_seats", subject=None)
    twin = score(id="MET-0105", subject="V-105")
    world = await start(datahub, metrics=[score(), twin, seats])

    by_name = (await world.get("/catalog/metrics", params={"name": "compliance_score"})).json()
    by_both = (
        await world.get("/catalog/metrics", params={"name": "compliance_score", "subject": "V-105"})
    ).json()
    unfound = (await world.get("/catalog/metrics", params={"name": "compliance"})).json()

    assert [metric["id"] for metric in by_name["items"]] == ["MET-0104", "MET-0105"]
    assert [metric["id"] for metric in by_both["items"]] == ["MET-0105"]
    assert unfound == {"items": [], "total": 0, "next_cursor": None}


async def test_lineage_leads_up_and_down_nearest_first_and_ends_in_cycles(datahub: Desk) -> None:
    metrics = [
        score(id="MET-1", upstream=["MET-2", "MET-9"], as_of=NOW),
        score(id="MET-2", upstream=["MET-3"]),
        score(id="MET-3", upstream=["MET-1"]),
        score(id="MET-4"),
    ]
    world = await start(datahub, metrics=metrics)

    lineage = (await world.get("/catalog/metrics/MET-2/lineage")).json()

    assert lineage["metric_id"] == "MET-2"
    assert [(node["id"], node["distance"]) for node in lineage["upstream"]] == [("MET-3", 1), ("MET-1", 2)]
    assert [(node["id"], node["distance"]) for node in lineage["downstream"]] == [("MET-1", 1), ("MET-3", 2)]
    assert [node["is_stale"] for node in lineage["downstream"]] == [False, True]


async def test_a_metric_from_which_everything_is_computed_does_not_answer_with_everything(
    datahub: Desk,
) -> None:
    leaves = [score(id=f"MET-{n:04d}", upstream=["MET-ROOT"]) for n in range(250)]
    world = await start(datahub, metrics=[score(id="MET-ROOT"), *leaves])

    lineage = (await world.get("/catalog/metrics/MET-ROOT/lineage")).json()

    assert len(lineage["downstream"]) == 200
    assert lineage["upstream"] == []


async def test_an_unknown_metric_is_refused_with_the_way_to_find_one(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])

    answers = [
        await world.post("/catalog/metrics/MET-9/query"),
        await world.post("/catalog/metrics/MET-9/refresh"),
        await world.get("/catalog/metrics/MET-9/lineage"),
    ]

    assert {(answer.status_code, answer.json()["type"]) for answer in answers} == {(404, "metric_unknown")}
    assert "list_metrics" in answers[0].json()["detail"]
    assert await world.rows("receipts", scope="diff") == {}
