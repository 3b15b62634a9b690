"""Accounting periods: how current their metrics are, and the lock."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from services.datahub.periods.domain import Freshness, freshness, variance
from tests.live_services import Desk, World

from .company import NOW, period, period_line, start

Row = dict[str, Any]


def metric(metric_id: str, *upstream: str, age: int = HOUR, value: float = 10.0) -> Row:
    """A metric of the ledger, an hour old where five days are allowed."""
    row = {"id": metric_id, "name": metric_id.lower(), "unit": "EUR", "as_of": NOW - age, "ttl_s": 5 * DAY}
    return {**row, "source": "ledger", "refresh_s": HOUR, "value": value, "upstream": list(upstream)}


async def begin(datahub: Desk, *metrics: Row, sources: list[Row] | None = None, **changes: Any) -> World:
    """Return a world with a period of these metrics."""
    lines = [period_line(one["id"]) for one in metrics]
    return await start(
        datahub,
        metrics=list(metrics),
        periods=[period(**changes)],
        period_lines=lines,
        sources=sources or [],
    )


async def states(world: World) -> dict[str, str]:
    told = (await world.get("/periods/PER-101")).json()
    return {one["metric_id"]: one["freshness"] for one in told["lines"]}


async def test_a_period_shows_each_metric_with_its_variance(datahub: Desk) -> None:
    world = await begin(datahub, metric("MET-0101", value=12.5))

    told = (await world.get("/periods/PER-101")).json()

    assert (told["status"], told["entity"], told["locked_by"]) == ("open", "LE-101", None)
    (shown,) = told["lines"]
    assert (shown["name"], shown["category"], shown["owner"]) == ("met-0101", "balance", "sarah.chen")
    assert (shown["reference"], shown["value"], shown["variance"]) == (10.0, 12.5, 2.5)
    assert shown["freshness"] == "current"


async def test_periods_are_listed_by_entity_and_status(datahub: Desk) -> None:
    others = [period(id="PER-102", status="locked"), period(id="PER-103", entity="LE-102")]
    world = await start(datahub, periods=[period(), *others])

    async def listed(**query: str) -> list[str]:
        answer = await world.get("/periods", params=query)
        return [one["id"] for one in answer.json()["items"]]

    assert await listed(entity="LE-101") == ["PER-101", "PER-102"]
    assert await listed(status="locked") == ["PER-102"]
    assert await listed() == ["PER-101", "PER-102", "PER-103"]


async def test_refreshing_a_metric_makes_outdated_what_is_computed_from_it(datahub: Desk) -> None:
    chain = metric("MET-0101", age=3 * HOUR), metric("MET-0102", "MET-0101", age=2 * HOUR)
    world = await begin(datahub, *chain, metric("MET-0103", "MET-0102"), metric("MET-0104"))
    assert {*(await states(world)).values()} == {"current"}

    await world.post("/catalog/metrics/MET-0101/refresh")
    await world.advance(HOUR)

    told = await states(world)
    assert told == {
        "MET-0101": "current",
        "MET-0102": "outdated",
        "MET-0103": "outdated",
        "MET-0104": "current",
    }


async def test_a_metric_is_computed_from_what_is_upstream_when_its_refresh_ends(datahub: Desk) -> None:
    parent, child = metric("MET-0101", value=100.0), metric("MET-0102", "MET-0101")
    hidden = [
        {"id": "MET-0101", "values": [200.0]},
        {"id": "MET-0102", "values": [7.0], "weights": {"MET-0101": 0.5}},
    ]
    world = await begin(datahub, parent, child, sources=hidden)

    values = []
    for metric_id in ("MET-0102", "MET-0101", "MET-0102"):
        await world.post(f"/catalog/metrics/{metric_id}/refresh")
        await world.advance(HOUR)
        lines = (await world.get("/periods/PER-101")).json()["lines"]
        values.append([one["value"] for one in lines])

    assert values == [[100.0, 57.0], [200.0, 57.0], [200.0, 107.0]]
    assert {*(await states(world)).values()} == {"current"}


async def test_stale_upstream_metric_outdates_a_line_from_outside_the_period(datahub: Desk) -> None:
    rates, own = metric("MET-0200", age=9 * DAY), metric("MET-0101", "MET-0200")
    world = await start(
        datahub,
        metrics=[rates, own],
        periods=[period()],
        period_lines=[period_line("MET-0101"), period_line("MET-0999")],
    )

    assert await states(world) == {"MET-0101": "outdated"}


async def test_a_lock_keeps_the_values_for_good_whatever_they_are(datahub: Desk) -> None:
    world = await begin(datahub, metric("MET-0101", age=9 * DAY, value=12.5))

    locked = (await world.post("/periods/PER-101/lock")).json()
    await world.post("/catalog/metrics/MET-0101/refresh")
    await world.advance(2 * HOUR)

    assert (locked["status"], locked["locked_by"], locked["version"]) == ("locked", "alex.agent", 2)
    assert locked["locked_at"] == to_iso(NOW)
    told = (await world.get("/periods/PER-101")).json()
    assert (told["lines"][0]["value"], told["lines"][0]["variance"]) == (12.5, 2.5)
    (kept,) = (await world.rows("period_lines")).values()
    assert kept["locked_value"] == 12.5


async def test_a_period_is_locked_once(datahub: Desk) -> None:
    world = await begin(datahub, metric("MET-0101"))
    await world.post("/periods/PER-101/lock")

    refused = await world.post("/periods/PER-101/lock")

    assert (refused.status_code, refused.json()["type"]) == (409, "period_locked")


async def test_a_reopened_period_can_be_locked_again(datahub: Desk) -> None:
    world = await begin(datahub, metric("MET-0101"), status="reopened", locked_by="sarah.chen", version=2)

    locked = (await world.post("/periods/PER-101/lock")).json()

    assert (locked["status"], locked["locked_by"], locked["version"]) == ("locked", "alex.agent", 3)


async def test_a_period_is_not_locked_while_a_metric_of_it_is_refreshed(datahub: Desk) -> None:
    world = await begin(datahub, metric("MET-0101"))
    await world.post("/catalog/metrics/MET-0101/refresh")

    refused = await world.post("/periods/PER-101/lock")

    assert (refused.status_code, refused.json()["type"]) == (409, "period_busy")
    assert await world.rows("periods", scope="diff") == {}
    await world.advance(HOUR)
    assert (await world.post("/periods/PER-101/lock")).status_code == 200


@pytest.mark.parametrize("call", [("get", "/periods/PER-999"), ("post", "/periods/PER-999/lock")])
async def test_a_period_that_does_not_exist_is_refused(datahub: Desk, call: tuple[str, str]) -> None:
    world = await start(datahub)

    refused = await getattr(world, call[0])(call[1])

    assert (refused.status_code, refused.json()["type"]) == (404, "period_unknown")


class Value:
    """A value taken at a time, good for ten seconds."""

    def __init__(self, as_of: int, *upstream: str) -> None:
        self.as_of, self.expires_at, self.upstream = as_of, as_of + 10, list(upstream)


@pytest.mark.parametrize(
    ("parent", "child", "now", "told"),
    [
        (1, 2, 5, Freshness.CURRENT),
        (2, 2, 5, Freshness.OUTDATED),
        (3, 2, 5, Freshness.OUTDATED),
        (1, 9, 11, Freshness.OUTDATED),
        (1, 2, 12, Freshness.STALE),
    ],
)
def test_a_value_counts_if_it_was_taken_after_what_it_is_computed_from(
    parent: int, child: int, now: int, told: Freshness
) -> None:
    metrics = {"parent": Value(parent), "child": Value(child, "parent", "of another department")}

    assert freshness("child", metrics, now) == told


def test_a_metric_without_a_value_has_no_variance() -> None:
    assert (variance(None, 1.0), variance(1.005, 1.0)) == (None, 0.0)
