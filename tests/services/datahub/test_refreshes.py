"""Refreshing metrics, and the clock that finishes refreshes and expires metrics."""

from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk, World

from .company import NOW, Row, published, score, source, start


async def read(world: World) -> Row:
    reading: Row = (await world.post("/catalog/metrics/MET-0104/query")).json()
    return reading


async def test_a_refresh_is_a_job_that_runs_until_its_due_time(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()], sources=[source()])

    job = await world.post("/catalog/metrics/MET-0104/refresh")

    assert job.status_code == 202
    assert job.json() == {
        "id": "JOB-0001",
        "metric_id": "MET-0104",
        "status": "running",
        "requested_by": "alex.agent",
        "started_at": to_iso(NOW),
        "due_at": to_iso(NOW + HOUR),
        "finished_at": None,
        "error": None,
    }
    assert (await world.get("/jobs/JOB-0001")).json() == job.json()


async def test_metric_stays_unchanged_until_the_refresh_job_is_due(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()], sources=[source()])

    effects = await world.effects("POST", "/catalog/metrics/MET-0104/refresh")
    await world.advance(HOUR - 1)

    assert effects["next_due"] == NOW + HOUR
    assert (await read(world))["value"] == 72.0
    assert await published(world, "metric.refreshed") == []


async def test_a_job_finishes_at_its_due_time_and_announces_the_metric_once(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()], sources=[source()])

    await world.post("/catalog/metrics/MET-0104/refresh")
    finished = await world.advance(HOUR)
    await world.advance(HOUR)

    assert [change["table"] for change in finished["changes"]] == ["changes", "jobs", "metrics"]
    assert finished["next_due"] == NOW + HOUR + 2 * DAY
    assert await published(world, "metric.refreshed") == [
        {
            "metric_id": "MET-0104",
            "subject": "V-104",
            "name": "compliance_score",
            "value": 85.0,
            "as_of": NOW + HOUR,
            "expires_at": NOW + HOUR + 2 * DAY,
            "version": 2,
        }
    ]
    job = (await world.get("/jobs/JOB-0001")).json()
    assert (job["status"], job["finished_at"]) == ("succeeded", to_iso(NOW + HOUR))
    reading = await read(world)
    assert (reading["value"], reading["version"], reading["is_stale"]) == (85.0, 2, False)


async def test_a_job_that_is_noticed_late_finished_when_it_was_due(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()], sources=[source()])

    await world.post("/catalog/metrics/MET-0104/refresh")
    await world.advance(2 * HOUR)

    assert (await read(world))["as_of"] == to_iso(NOW + HOUR)


async def test_a_refresh_is_noted_with_what_it_changed(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()], sources=[source()])

    await world.post("/catalog/metrics/MET-0104/refresh")
    await world.advance(HOUR)

    assert (await world.rows("changes"))["MET-0104@2"] == {
        "id": "MET-0104@2",
        "object_id": "MET-0104",
        "version": 2,
        "at": NOW + HOUR,
        "actor": "alex.agent",
        "action": "refreshed",
        "before": {"value": 72.0, "as_of": NOW - 4 * DAY},
        "after": {"value": 85.0, "as_of": NOW + HOUR},
    }


async def test_successive_refreshes_bring_successive_values(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()], sources=[source()])

    values = []
    for _ in range(3):
        await world.post("/catalog/metrics/MET-0104/refresh")
        await world.advance(HOUR)
        values.append((await read(world))["value"])

    assert values == [85.0, 76.0, 76.0]
    assert list(await world.rows("jobs")) == ["JOB-0001", "JOB-0002", "JOB-0003"]


async def test_a_refresh_that_fails_leaves_the_metric_and_the_next_one_brings_the_value(
    datahub: Desk,
) -> None:
    world = await start(datahub, metrics=[score()], sources=[source(failures=[0])])

    await world.post("/catalog/metrics/MET-0104/refresh")
    await world.advance(HOUR)
    failed, unchanged = (await world.get("/jobs/JOB-0001")).json(), await read(world)
    await world.post("/catalog/metrics/MET-0104/refresh")
    await world.advance(HOUR)

    assert failed["status"] == "failed"
    assert failed["finished_at"] == to_iso(NOW + HOUR)
    assert "vendor_screening did not respond" in failed["error"]
    assert (unchanged["value"], unchanged["version"]) == (72.0, 1)
    assert (await read(world))["value"] == 85.0
    assert len(await published(world, "metric.refreshed")) == 1


async def test_a_metric_without_a_known_source_is_confirmed(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])

    await world.post("/catalog/metrics/MET-0104/refresh")
    await world.advance(HOUR)

    reading = await read(world)
    assert (reading["value"], reading["version"], reading["is_stale"]) == (72.0, 2, False)


async def test_a_metric_has_one_running_job_at_a_time(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score(), score(id="MET-0105")], sources=[source()])

    await world.post("/catalog/metrics/MET-0104/refresh")
    again = await world.post("/catalog/metrics/MET-0104/refresh")
    other = await world.post("/catalog/metrics/MET-0105/refresh")

    assert again.status_code == 409
    assert again.json()["type"] == "refresh_running"
    assert f"already being refreshed by JOB-0001, until {to_iso(NOW + HOUR)}" in again.json()["detail"]
    assert other.json()["id"] == "JOB-0002"


async def test_jobs_are_numbered_on_from_those_of_the_past(datahub: Desk) -> None:
    past = {
        "metric_id": "MET-0104",
        "requested_by": "ana.lopez",
        "started_at": 0,
        "due_at": 60,
        "finished_at": 60,
    }
    jobs = [{"id": f"JOB-{n}", "status": "succeeded", **past} for n in ("0007", "9999", "10000", "OLD")]
    world = await start(datahub, metrics=[score()], jobs=jobs)

    assert (await world.post("/catalog/metrics/MET-0104/refresh")).json()["id"] == "JOB-10001"


async def test_jobs_of_the_past_use_none_of_the_values_up(datahub: Desk) -> None:
    past = {
        "requested_by": "ana.lopez",
        "started_at": 0,
        "due_at": 60,
        "status": "succeeded",
        "finished_at": 60,
    }
    job = {"id": "JOB-0001", "metric_id": "MET-0104", **past}
    world = await start(datahub, metrics=[score()], sources=[source()], jobs=[job])

    await world.post("/catalog/metrics/MET-0104/refresh")
    await world.advance(HOUR)

    assert (await read(world))["value"] == 85.0


async def test_a_job_that_runs_at_the_start_finishes_too(datahub: Desk) -> None:
    job = {
        "id": "JOB-0001",
        "metric_id": "MET-0104",
        "requested_by": "ana.lopez",
        "started_at": NOW - 60,
        "due_at": NOW + 60,
    }
    world = await start(datahub, metrics=[score()], sources=[source()], jobs=[job])

    await world.advance(60)

    assert (await read(world))["value"] == 85.0


async def test_jobs_are_found_by_metric_and_status(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score(), score(id="MET-0105", refresh_s=60)])
    await world.post("/catalog/metrics/MET-0104/refresh")
    await world.post("/catalog/metrics/MET-0105/refresh")
    await world.advance(60)

    running = (await world.get("/jobs", params={"status": "running"})).json()["items"]
    of_metric = (await world.get("/jobs", params={"metric_id": "MET-0105"})).json()["items"]

    assert [job["id"] for job in running] == ["JOB-0001"]
    assert [(job["id"], job["status"]) for job in of_metric] == [("JOB-0002", "succeeded")]


async def test_an_unknown_job_is_refused(datahub: Desk) -> None:
    world = await start(datahub)

    refused = await world.get("/jobs/JOB-9999")

    assert refused.status_code == 404
    assert refused.json()["type"] == "job_unknown"


async def test_a_metric_expires_at_the_end_of_its_lifetime_once(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score(as_of=NOW - DAY)])

    await world.advance(DAY - 1)
    early = await published(world, "metric.expired")
    await world.advance(1)
    await world.advance(DAY)

    assert early == []
    assert await published(world, "metric.expired") == [{"metric_id": "MET-0104", "version": 1}]


async def test_a_metric_that_is_stale_at_the_start_does_not_expire_again(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score()])

    await world.advance(30 * DAY)

    assert await published(world, "metric.expired") == []


async def test_a_refreshed_metric_expires_a_lifetime_after_the_refresh_and_not_before(datahub: Desk) -> None:
    world = await start(datahub, metrics=[score(as_of=NOW - DAY)], sources=[source()])

    await world.post("/catalog/metrics/MET-0104/refresh")
    await world.advance(HOUR)
    await world.advance(DAY)
    at_the_old_end = await published(world, "metric.expired")
    await world.advance(DAY)

    assert at_the_old_end == []
    assert await published(world, "metric.expired") == [{"metric_id": "MET-0104", "version": 2}]


async def test_a_metric_refreshed_before_its_end_does_not_expire_though_the_clock_jumps_over_both(
    datahub: Desk,
) -> None:
    world = await start(datahub, metrics=[score(as_of=NOW - DAY)], sources=[source()])

    await world.post("/catalog/metrics/MET-0104/refresh")
    await world.advance(DAY)

    assert [event["name"] for event in await world.events()] == ["metric.refreshed"]


async def test_a_job_of_a_metric_that_is_not_there_brings_nothing(datahub: Desk) -> None:
    job = {
        "id": "JOB-0001",
        "metric_id": "MET-9",
        "requested_by": "ana.lopez",
        "started_at": 0,
        "due_at": NOW + 1,
    }
    world = await start(datahub, jobs=[job])

    effects = await world.advance(1)

    assert (effects["changes"], effects["events"], effects["next_due"]) == ([], [], None)
