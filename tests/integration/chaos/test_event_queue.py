"""What waits at a consumer: in which order it comes, what it holds up, and what an agent's tools do about it."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from companyos.chassis.world.public_ids import public_id
from companyos.sdk.chaos import FaultId
from services.approvalflow.app import create_app
from tests.live_services import Desk, TestDatabases, running

from .stage import News, Told, plan_of, stage

A1, A2, A3 = (News("MET-A", version) for version in (1, 2, 3))
B1, B2 = (News("MET-B", version) for version in (1, 2))
ONLY_A = {"match": {"object": ["MET-A"]}}
HOUR = 3600


@pytest.fixture(scope="module")
async def desk(databases: TestDatabases) -> AsyncIterator[Desk]:
    async with running(create_app, databases) as opened:
        yield opened


async def test_news_about_an_object_queues_behind_what_is_delayed_and_other_news_does_not(desk: Desk) -> None:
    on = await stage(desk, plan_of(FaultId.DELAY, params={"ticks_s": 600}, **ONLY_A))

    await on.announce(A1)
    await on.announce(A2)
    await on.announce(B1)
    before = await on.versions()
    effects = await on.pass_time(HOUR)

    assert before == {"MET-B": 1}
    assert await on.versions() == {"MET-A": 2, "MET-B": 1}
    assert [change["id"] for change in effects["changes"]] == ["MET-A"]
    where = ["metric.refreshed", "MET-A", "approvalflow"]
    assert effects["faults"] == [
        {"fault": "evt.delay", "where": where, "state": "delivered", "by": "waiting"}
    ]


async def test_delayed_event_reports_when_it_is_due(desk: Desk) -> None:
    on = await stage(desk, plan_of(FaultId.DELAY))

    await on.announce(A1)

    acknowledged = await on.world.applied("s1.datahub.1")
    assert acknowledged["changes"] == []
    assert on.now + 60 <= acknowledged["next_due"] <= on.now + 120
    assert [fault["state"] for fault in acknowledged["faults"]] == ["landed"]


async def test_later_news_passes_what_is_reordered_and_the_older_is_ignored_then(desk: Desk) -> None:
    on = await stage(desk, plan_of(FaultId.REORDER, **ONLY_A))

    await on.announce(A1)
    await on.announce(A2)
    passed = await on.versions()
    await on.pass_time(HOUR)

    assert passed == await on.versions() == {"MET-A": 2}
    assert await on.heard() == {"MET-A": [1, 2]}


async def test_dropped_event_arrives_after_its_redelivery_time(desk: Desk) -> None:
    on = await stage(desk, plan_of(FaultId.DROP, params={"redelivery_s": 600}))

    await on.announce(A1)
    await on.pass_time(599)
    before = await on.versions()
    await on.pass_time(1)

    assert (before, await on.versions()) == ({}, {"MET-A": 1})


async def test_poisoned_event_becomes_a_dead_letter_and_blocks_only_its_object(desk: Desk) -> None:
    on = await stage(desk, plan_of(FaultId.POISON, params={"deliveries": 4}, **ONLY_A))

    await on.announce(A1, B1)
    await on.announce(B2, A2)
    await on.pass_time(100 * HOUR)

    (letter,) = (await on.tool("GET", "dead-letters"))["items"]
    assert await on.versions() == {"MET-B": 2}
    assert (letter["object_id"], letter["deliveries"], letter["publisher"]) == ("MET-A", 4, "datahub")
    assert letter["error"] == "name: Input should be a valid string"
    assert await on.waiting() == ["MET-A"]


async def test_a_dead_letter_takes_the_right_value_only_and_then_comes_with_what_waits_behind_it(
    desk: Desk,
) -> None:
    on = await stage(desk, plan_of(FaultId.POISON, **ONLY_A))
    await on.announce(A1)
    await on.announce(A2)
    await on.announce(A3)
    redrive = f"/deliveries/dead-letters/{public_id('s1.datahub.1')}/redrive"

    wrong = await on.world.post(redrive, json={"corrections": {"name": "scores"}})
    unknown = await on.world.post(redrive.replace("evt-", "evt-0"), json={"corrections": {"name": "score"}})
    right = await on.world.post(redrive, json={"corrections": {"name": "score"}})
    by_the_call = await on.versions()
    effects = await on.pass_time(0)

    assert (wrong.status_code, wrong.json()["type"]) == (422, "correction_wrong")
    assert (unknown.status_code, unknown.json()["type"]) == (404, "dead_letter_unknown")
    assert right.status_code == 200
    assert by_the_call == {}
    assert await on.heard() == {"MET-A": [1, 2, 3]}
    assert effects["faults"][0]["by"] == "redrive"
    assert (await on.tool("GET", "dead-letters"))["items"] == []


async def test_a_service_that_takes_no_events_gets_them_in_order_afterwards(desk: Desk) -> None:
    on = await stage(desk, plan_of(FaultId.CONSUMER_DOWN, params={"window_s": 600}))

    for news in (A1, B1, A2):
        await on.announce(news)
    before, waiting = await on.versions(), await on.waiting()
    await on.pass_time(600 - 120)
    after = await on.versions()
    await on.announce(B2)

    assert (before, waiting) == ({}, ["MET-A", "MET-B", "MET-A"])
    assert after == {"MET-A": 2, "MET-B": 1}
    assert await on.heard() == {"MET-A": [1, 2], "MET-B": [1, 2]}


@pytest.mark.parametrize("fault", [FaultId.DELAY, FaultId.REORDER, FaultId.DROP])
async def test_a_replay_brings_what_is_held_about_an_object_on_the_clock(desk: Desk, fault: FaultId) -> None:
    on = await stage(desk, plan_of(fault, F=2))
    await on.announce(A1)
    await on.announce(B1)

    told = await on.tool("POST", "replay", json={"object_id": "MET-A"})
    by_the_call = await on.versions()
    effects = await on.pass_time(0)

    assert told == {"object_id": "MET-A", "coming": [public_id("s1.datahub.1")], "waiting": []}
    assert by_the_call == {}
    assert await on.versions() == {"MET-A": 1}
    assert [(one["state"], one["by"]) for one in effects["faults"]] == [("delivered", "replay")]


async def test_a_replay_cannot_pass_a_dead_letter_nor_reach_a_service_that_takes_no_events(
    desk: Desk,
) -> None:
    poisoned, down = (
        await stage(desk, plan_of(FaultId.POISON)),
        await stage(desk, plan_of(FaultId.CONSUMER_DOWN)),
    )
    for on in (poisoned, down):
        await on.announce(A1)
        await on.announce(A2)

    told = [await on.tool("POST", "replay", json={"object_id": "MET-A"}) for on in (poisoned, down)]

    assert [(one["coming"], one["waiting"]) for one in told] == [
        ([], [public_id("s2.datahub.1")]),
        ([], [public_id("s1.datahub.1"), public_id("s2.datahub.1")]),
    ]


async def test_where_nothing_is_held_the_tools_say_so(desk: Desk) -> None:
    on = await stage(desk)
    await on.announce(A1)

    assert (await on.tool("GET", "undelivered"))["items"] == []
    assert (await on.tool("GET", "dead-letters"))["items"] == []
    replayed = await on.tool("POST", "replay", json={"object_id": "MET-A"})
    assert (replayed["coming"], replayed["waiting"]) == ([], [])


async def test_undelivered_events_are_paginated_and_filtered_by_object(desk: Desk) -> None:
    on = await stage(desk, plan_of(FaultId.CONSUMER_DOWN))
    for news in (A1, B1, A2):
        await on.announce(news)

    first = await on.tool("GET", "undelivered", params={"limit": 2})
    second = await on.tool("GET", "undelivered", params={"limit": 2, "cursor": first["next_cursor"]})
    about_b = await on.tool("GET", "undelivered", params={"object_id": "MET-B"})
    gone = await on.world.get("/deliveries/undelivered", params={"cursor": public_id("s9.datahub.1")})

    ids = [item["id"] for page in (first, second) for item in page["items"]]
    assert ids == [public_id(f"s{number}.datahub.1") for number in (1, 2, 3)]
    assert [item["id"] for item in about_b["items"]] == [public_id("s2.datahub.1")]
    assert gone.status_code == 422


async def test_held_events_arrive_when_they_are_released(desk: Desk) -> None:
    on = await stage(desk)
    await on.announce(A1, B1, hold=True)
    await on.announce(A2)
    deferred = await on.versions()

    headers = {**on.world.headers(), **desk.admin}
    answer = await desk.client.post("/admin/deferred/release", json={"cause": "s1"}, headers=headers)

    assert deferred == {}
    assert len(answer.json()["effects"]["changes"]) == 2
    assert await on.heard() == {"MET-A": [1, 2], "MET-B": [1]}


async def test_faults_armed_with_a_base_can_be_ended_later(desk: Desk) -> None:
    plan = plan_of(FaultId.DELAY)
    on = await stage(desk)
    body: Told = {"layer": on.world.context.chain[0] - 10**9, "start": 0, "rows": {}, "faults": plan}
    (await desk.client.put("/admin/bases/armed", json=body, headers=desk.admin)).raise_for_status()
    chain = (body["layer"], *on.world.context.chain[1:])
    on.world.context = replace(on.world.context, chain=chain)

    await on.announce(A1)
    armed = await on.noted()
    headers = {**on.world.headers(), **desk.admin}
    await desk.client.put("/admin/faults", content=b"null", headers=headers)
    await on.announce(B1)

    assert armed["plan"] == plan
    assert [deferred["id"] for deferred in armed["deferred"]] == ["s1.datahub.1"]
    assert (await on.noted())["plan"] is None
    assert await on.versions() == {"MET-B": 1}


async def test_a_plan_that_is_none_is_refused(desk: Desk) -> None:
    on = await stage(desk)

    headers = {**on.world.headers(), **desk.admin}
    answer = await desk.client.put("/admin/faults", json={"key": "short", "profile": {}}, headers=headers)

    assert answer.status_code == 422
