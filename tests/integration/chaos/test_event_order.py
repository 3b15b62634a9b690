"""Whatever goes wrong with events: arrival is not observed, nothing is lost, nothing is applied twice, order holds."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companyos.sdk.chaos import CATALOG, FaultId, Layer
from services.approvalflow.app import create_app
from tests.live_services import Desk, TestDatabases, World, running
from tests.sizes import size

from .stage import News, Stage, Told, plan_of, stage

EVENT_FAULTS = [fault for fault in CATALOG if CATALOG[fault].layer is Layer.EVENT]
#: Those behind which later events about the same object queue.
QUEUEING = [FaultId.DELAY, FaultId.POISON, FaultId.CONSUMER_DOWN]
METRICS = ("MET-A", "MET-B", "MET-C")
DAY = 86_400

#: What one call announces: metrics, each at most once.
calls = st.lists(
    st.lists(st.sampled_from(METRICS), min_size=1, max_size=3, unique=True), min_size=1, max_size=6
)


@pytest.fixture(scope="module")
async def desk(databases: TestDatabases) -> AsyncIterator[Desk]:
    async with running(create_app, databases) as opened:
        yield opened


def numbered(announced: list[list[str]]) -> list[list[News]]:
    """Return the announcements with versions, which count up metric by metric."""
    versions = dict.fromkeys(METRICS, 0)
    found = []
    for metrics in announced:
        versions |= {metric: versions[metric] + 1 for metric in metrics}
        found.append([News(metric, versions[metric]) for metric in metrics])
    return found


async def played(desk: Desk, plan: Told, announced: list[list[News]], rng: random.Random | None) -> Stage:
    """Announce everything call by call; what one call announces arrives in order, or in any and some of it again."""
    on = await stage(desk, plan)
    for news in announced:
        places = list(range(len(news)))
        if rng is not None:
            places = places + rng.choices(places, k=2)
            rng.shuffle(places)
        await on.announce(*news, arriving=places)
        # What the bus lost comes again from the outbox before the call is settled.
        for event in on.sent[-len(news) :]:
            await on.deliver(event)
    return on


async def mended(on: Stage) -> None:
    """Redrive every dead letter, and let everything come."""
    while letters := (await on.tool("GET", "dead-letters"))["items"]:
        for letter in letters:
            path = f"dead-letters/{letter['id']}/redrive"
            # Either fact may have been damaged; what is right already may be said again.
            await on.tool("POST", path, json={"corrections": {"name": "score", "subject": None}})
        await on.pass_time(0)
    await on.pass_time(2 * DAY)


async def everything(on: Stage) -> dict[str, Any]:
    """Return what the service keeps: metrics, and all that is noted of faults."""
    return {"metrics": await on.world.rows("metrics"), "noted": await on.noted()}


async def in_any_order(desk: Desk, plan: Told, announced: list[list[str]], seed: int) -> None:
    news = numbered(announced)
    in_order = await played(desk, plan, news, None)
    shuffled = await played(desk, plan, news, random.Random(seed))

    assert await everything(shuffled) == await everything(in_order)
    told = [await on.pass_time(DAY) for on in (in_order, shuffled)]
    assert told[0] == told[1]

    for on in (in_order, shuffled):
        await mended(on)
        published = {one.metric: one.version for call in news for one in call}
        assert await on.heard() == {metric: list(range(1, last + 1)) for metric, last in published.items()}
        assert await on.waiting() == []


@pytest.mark.proof
async def test_arrival_is_not_observed_and_everything_is_applied_once_in_the_end(desk: Desk) -> None:
    loop = asyncio.get_running_loop()

    @settings(
        max_examples=size(25, 500), deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(
        faults=st.lists(st.sampled_from(EVENT_FAULTS), min_size=1, max_size=4, unique=True),
        most=st.integers(1, 3),
        p=st.sampled_from([0.3, 0.7, 1.0]),
        announced=calls,
        seed=st.integers(0, 1000),
    )
    def check(faults: list[FaultId], most: int, p: float, announced: list[list[str]], seed: int) -> None:
        plan = plan_of(*faults, seed=seed, p=p, F=most)
        asyncio.run_coroutine_threadsafe(in_any_order(desk, plan, announced, seed), loop).result(60)

    await asyncio.to_thread(check)


async def keeps_its_order(desk: Desk, plan: Told, announced: list[list[str]]) -> None:
    on = await stage(desk, plan)
    seen: dict[str, list[int]] = {}
    for news in numbered(announced):
        await on.announce(*news)
        await on.pass_time(60)
        for metric, versions in (await on.heard()).items():
            assert versions == list(range(1, len(versions) + 1)), metric
            assert versions[: len(seen.get(metric, []))] == seen.get(metric, [])
            seen[metric] = versions
    untouched = {one.metric for news in numbered(announced) for one in news} - _touched(await on.noted())
    for metric in untouched:
        assert metric in seen


def _touched(noted: Told) -> set[str]:
    return {deferred["object"] for deferred in [*noted["deferred"], *noted["dead_letters"]]}


@pytest.mark.proof
async def test_queued_events_keep_their_order_and_do_not_delay_other_objects(desk: Desk) -> None:
    loop = asyncio.get_running_loop()

    @settings(
        max_examples=size(15, 300), deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(faults=st.sets(st.sampled_from(QUEUEING), min_size=1), announced=calls, seed=st.integers(0, 1000))
    def check(faults: set[FaultId], announced: list[list[str]], seed: int) -> None:
        plan = plan_of(*sorted(faults), seed=seed, p=0.6, F=3)
        asyncio.run_coroutine_threadsafe(keeps_its_order(desk, plan, announced), loop).result(60)

    await asyncio.to_thread(check)


async def test_events_that_arrive_at_once_meet_what_they_would_one_by_one(desk: Desk) -> None:
    plan, news = plan_of(*EVENT_FAULTS, p=0.8, F=1), numbered([list(METRICS)] * 5)
    one_by_one = await played(desk, plan, news, None)
    at_once = await stage(desk, plan)
    for call in news:
        await at_once.announce(*call, arriving=[])
        for _ in range(2):
            await asyncio.gather(*(at_once.deliver(event) for event in at_once.sent[-len(call) :]))

    assert await everything(at_once) == await everything(one_by_one)


async def test_deferred_events_survive_a_restart_and_are_copied_to_forks(
    desk: Desk, databases: TestDatabases
) -> None:
    on = await stage(desk, plan_of(FaultId.DELAY, FaultId.POISON, F=2))
    for call in numbered([["MET-A"], ["MET-B"], ["MET-A"]]):
        await on.announce(*call)
    branches = [branch(on, number) for number in (1, 2)]

    async with running(create_app, databases) as restarted:
        for one in branches:
            one.world.desk = restarted
            await mended(one)
            assert await one.heard() == {"MET-A": [1, 2], "MET-B": [1]}
        assert await everything(branches[0]) == await everything(branches[1])

    assert len((await on.noted())["deferred"]) + len((await on.noted())["dead_letters"]) == 3


async def test_the_bus_loses_an_event_once_and_nothing_is_acknowledged_then(desk: Desk) -> None:
    on = await stage(desk, plan_of(FaultId.BROKER_LOSS))

    await on.announce(News("MET-A", 1))
    lost = await on.versions()
    await on.deliver(on.sent[0])
    again = await on.versions()
    await on.deliver(on.sent[0])

    assert (lost, again, await on.versions()) == ({}, {"MET-A": 1}, {"MET-A": 1})


async def test_an_event_met_by_an_incident_once_is_not_met_by_it_again(desk: Desk) -> None:
    on = await stage(desk, plan_of(FaultId.DROP, F=5, params={"redelivery_s": 600}))

    await on.announce(News("MET-A", 1))
    await on.announce(News("MET-A", 2))
    await on.announce(News("MET-B", 1))

    assert await on.versions() == {"MET-A": 2}
    assert [one["where"][1] for one in (await on.noted())["incidents"]] == ["MET-A", "MET-B"]


def branch(on: Stage, number: int) -> Stage:
    """Return a branch of a stage: the same up to now, and in a layer of its own from here on."""
    context = on.world.context
    layer = context.layer * 100 + number
    branched = replace(context, world=layer, chain=(*context.chain, layer))
    return Stage(World(on.world.desk, branched), on.calls, list(on.sent))
