"""The past values of a metric, and its quarantine."""

from typing import Any

from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk, World

from .company import NOW, published, score, source, start

Row = dict[str, Any]
REASON = {"reason": "It repeats the value of last week; the control total has moved."}


def taken(version: int, value: float, age: int) -> Row:
    """The change that gave the score a value."""
    return {
        "id": f"MET-0104@{version}",
        "object_id": "MET-0104",
        "version": version,
        "at": NOW - age,
        "actor": "vendor_screening",
        "action": "refreshed",
        "after": {"value": value, "as_of": NOW - age},
    }


async def history(world: World, **query: Any) -> Row:
    answer = await world.get("/catalog/metrics/MET-0104/history", params=query)
    assert answer.status_code == 200, answer.text
    told: Row = answer.json()
    return told


async def status(world: World) -> str:
    told: str = (await world.post("/catalog/metrics/MET-0104/query")).json()["status"]
    return told


async def test_the_history_tells_every_value_oldest_first_with_the_job_that_took_it(datahub: Desk) -> None:
    values = [taken(version, 70.0 + version, (12 - version) * DAY) for version in range(1, 12)]
    world = await start(datahub, metrics=[score(version=11)], changes=values)

    told = await history(world)

    assert [one["version"] for one in told["items"]] == list(range(1, 12))
    assert told["items"][0] == {
        "id": "MET-0104@1",
        "metric_id": "MET-0104",
        "version": 1,
        "value": 71.0,
        "as_of": to_iso(NOW - 11 * DAY),
        "source": "vendor_screening",
        "requested_by": "vendor_screening",
    }


async def test_a_refresh_adds_to_the_history_and_a_quarantine_does_not(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()], sources=[source()])
    await world.post("/catalog/metrics/MET-0104/refresh")
    await world.advance(HOUR)
    await world.post("/catalog/metrics/MET-0104/quarantine", json=REASON)

    told = await history(world)

    assert [(one["value"], one["requested_by"]) for one in told["items"]] == [(85.0, "alex.agent")]


async def test_the_history_of_a_metric_that_does_not_exist_is_refused(datahub: Desk) -> None:
    world = await start(datahub)

    refused = await world.get("/catalog/metrics/MET-0104/history")

    assert (refused.status_code, refused.json()["type"]) == (404, "metric_unknown")


async def test_a_quarantine_marks_the_metric_and_tells_the_others(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])

    answer = await world.post("/catalog/metrics/MET-0104/quarantine", json=REASON)

    assert answer.json() == {
        "id": "MET-0104",
        "name": "compliance_score",
        "subject": "V-104",
        "status": "quarantined",
    }
    assert await published(world, "metric.quarantined") == [{"metric_id": "MET-0104", "number": 1}]
    (kept,) = (await world.rows("quarantines")).values()
    assert (kept["id"], kept["by"], kept["at"]) == ("MET-0104-Q1", "alex.agent", NOW)
    assert kept["released_at"] is None


async def test_a_quarantine_leaves_the_value_and_its_version(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])
    before = (await world.post("/catalog/metrics/MET-0104/query")).json()

    await world.post("/catalog/metrics/MET-0104/quarantine", json=REASON)

    after = (await world.post("/catalog/metrics/MET-0104/query")).json()
    assert after == {**before, "status": "quarantined"}


async def test_a_refresh_does_not_lift_a_quarantine(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()], sources=[source()])
    await world.post("/catalog/metrics/MET-0104/quarantine", json=REASON)

    await world.post("/catalog/metrics/MET-0104/refresh")
    await world.advance(HOUR)

    assert await status(world) == "quarantined"


async def test_a_metric_is_quarantined_once(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])
    await world.post("/catalog/metrics/MET-0104/quarantine", json=REASON)

    refused = await world.post("/catalog/metrics/MET-0104/quarantine", json=REASON)

    assert (refused.status_code, refused.json()["type"]) == (409, "already_quarantined")
    assert len(await world.rows("quarantines")) == 1


async def test_a_release_lifts_the_quarantine_and_keeps_who_did_both(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])
    await world.post("/catalog/metrics/MET-0104/quarantine", json=REASON)

    await world.post("/catalog/metrics/MET-0104/release", json={"reason": "The job was repaired."})

    assert await status(world) == "ok"
    assert await published(world, "metric.released") == [{"metric_id": "MET-0104", "number": 2}]
    (kept,) = (await world.rows("quarantines")).values()
    assert (kept["released_by"], kept["release_reason"]) == ("alex.agent", "The job was repaired.")


async def test_a_metric_can_be_quarantined_again(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])
    for what in ("quarantine", "release", "quarantine"):
        await world.post(f"/catalog/metrics/MET-0104/{what}", json=REASON)

    assert list(await world.rows("quarantines")) == ["MET-0104-Q1", "MET-0104-Q2"]
    assert [one["number"] for one in await published(world, "metric.quarantined")] == [1, 3]


async def test_a_metric_without_quarantine_cannot_be_released(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])

    refused = await world.post("/catalog/metrics/MET-0104/release", json=REASON)

    assert (refused.status_code, refused.json()["type"]) == (409, "not_quarantined")
    assert await world.rows("metrics", scope="diff") == {}


async def test_a_metric_that_was_quarantined_from_the_start_can_be_released(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score(status="quarantined")])

    answer = await world.post("/catalog/metrics/MET-0104/release", json=REASON)

    assert answer.json()["status"] == "ok"
    assert await published(world, "metric.released") == [{"metric_id": "MET-0104", "number": 1}]


async def test_a_quarantine_needs_a_reason(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])

    for body in ({}, {"reason": ""}, {"reason": 7}, {"reason": "x" * 4001}, {**REASON, "status": "ok"}):
        refused = await world.post("/catalog/metrics/MET-0104/quarantine", json=body)
        assert (refused.status_code, refused.json()["type"]) == (422, "invalid_request")
    assert await world.rows("metrics", scope="diff") == {}
