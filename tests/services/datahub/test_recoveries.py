"""A metric recovers at its next refresh once the change that mends its system is live, and in no other case."""

from itertools import permutations

import pytest

from companyos.sdk.simtime import HOUR
from tests.live_services import World

from .company import score, source, start

MENDS = {"id": "MET-0104", "system": "SYS-7", "procedure": "restart", "before": [85.0], "after": [3.0]}
LIVE = {"change_id": "CHG-101", "ticket_id": "TD-1042", "system": "SYS-7", "procedure": "restart"}


async def company(desk) -> World:
    other = {"id": "MET-0105", "values": [7.0]}
    rows = {"metrics": [score(), score(id="MET-0105", subject="V-105")], "remedies": [MENDS]}
    return await start(desk, **rows, sources=[source(values=[85.0]), other])


async def refreshed(world, metric_id="MET-0104"):
    await world.post(f"/catalog/metrics/{metric_id}/refresh")
    await world.advance(HOUR)
    return (await world.post(f"/catalog/metrics/{metric_id}/query")).json()["value"]


async def test_the_metric_recovers_at_its_next_refresh_and_not_before(datahub):
    world = await company(datahub)
    await refreshed(world)

    await world.deliver("change.rolled_out", LIVE)

    assert (await world.post("/catalog/metrics/MET-0104/query")).json()["value"] == 85.0
    assert await refreshed(world) == 3.0
    assert await refreshed(world) == 3.0


async def test_other_metrics_do_not_recover(datahub):
    world = await company(datahub)

    await world.deliver("change.rolled_out", LIVE)

    assert await refreshed(world, "MET-0105") == 7.0


@pytest.mark.parametrize("other", [{"system": "SYS-8"}, {"procedure": "failover"}])
async def test_another_change_does_not_help(datahub, other):
    world = await company(datahub)

    await world.deliver("change.rolled_out", {**LIVE, **other})

    assert await refreshed(world) == 85.0


async def test_a_refresh_that_runs_while_the_change_goes_live_brings_the_new_value(datahub):
    world = await company(datahub)
    await world.post("/catalog/metrics/MET-0104/refresh")

    await world.deliver("change.rolled_out", LIVE)
    await world.advance(HOUR)

    assert (await world.post("/catalog/metrics/MET-0104/query")).json()["value"] == 3.0


async def test_rolled_back_change_brings_the_failure_back(datahub):
    world = await company(datahub)
    await world.deliver("change.rolled_out", LIVE)
    await refreshed(world)

    await world.deliver("change.rolled_back", LIVE)

    assert await refreshed(world) == 85.0


NEWS = [
    ("change.rolled_out", LIVE),
    ("change.rolled_back", LIVE),
    ("change.rolled_out", {**LIVE, "change_id": "CHG-102"}),
]


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_announcements_may_come_in_any_order(datahub, order):
    world = await company(datahub)

    for number in order:
        await world.deliver(*NEWS[number])

    assert await refreshed(world) == 3.0
    assert {one["id"]: one["ended"] for one in (await world.rows("live_changes")).values()} == {
        "CHG-101": True,
        "CHG-102": False,
    }


async def test_a_change_that_mends_nothing_known_is_noted_and_no_more(datahub):
    world = await company(datahub)

    await world.deliver("change.rolled_back", {**LIVE, "system": "SYS-9"})

    assert await refreshed(world) == 85.0
