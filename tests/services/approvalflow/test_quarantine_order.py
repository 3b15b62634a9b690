"""Quarantines and releases that arrive late or twice: the last one counts, and what each would have voided is void."""

from dataclasses import replace
from itertools import permutations

import pytest

from companyos.sdk.simtime import HOUR
from tests.live_services import Desk, World

from .company import NOW, Row, read, request, start, submit

VOIDED, PENDING = ("voided", "metric_quarantined"), ("pending", None)


def quarantined(number: int) -> tuple[str, Row]:
    return "metric.quarantined", {"metric_id": "MET-0104", "number": number}


def released(number: int) -> tuple[str, Row]:
    return "metric.released", {"metric_id": "MET-0104", "number": number}


async def outcome(world: World, request_id: str = "APR-0007") -> tuple[str, str | None]:
    found = await read(world, request_id)
    return found["status"], found["reason_code"]


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_quarantines_and_releases_end_with_the_last_one_in_any_order(
    approvalflow: Desk, order: tuple[int, ...]
) -> None:
    world = await start(approvalflow, requests=[request()])
    news = [quarantined(1), released(2), quarantined(3)]

    for number in order:
        await world.deliver(*news[number])

    known = (await world.rows("quarantined_metrics"))["MET-0104"]
    assert (known["number"], known["active"]) == (3, True)
    assert await outcome(world) == VOIDED


@pytest.mark.parametrize(("number", "ended"), [(3, VOIDED), (2, PENDING), (1, PENDING)])
async def test_a_late_quarantine_voids_requests_if_the_known_release_ended_it(
    approvalflow: Desk, number: int, ended: tuple[str, str | None]
) -> None:
    world = await start(approvalflow, requests=[request()])
    await world.deliver(*released(4))

    await world.deliver(*quarantined(number))

    assert await outcome(world) == ended
    known = (await world.rows("quarantined_metrics"))["MET-0104"]
    assert (known["number"], known["active"]) == (4, False)


@pytest.mark.parametrize(
    ("submitted_at", "ended"),
    [(NOW + HOUR - 1, VOIDED), (NOW + HOUR, PENDING)],
    ids=["before the release", "with it"],
)
async def test_a_late_quarantine_counts_for_requests_made_before_its_release(
    approvalflow: Desk, submitted_at: int, ended: tuple[str, str | None]
) -> None:
    world = await start(approvalflow)
    world.context = replace(world.context, now=submitted_at)
    made = await submit(world)
    world.context = replace(world.context, now=NOW + HOUR)
    await world.deliver(*released(2))

    await world.deliver(*quarantined(1))

    assert await outcome(world, made["id"]) == ended


async def test_a_release_told_twice_or_late_lifts_no_newer_quarantine(approvalflow: Desk) -> None:
    world = await start(approvalflow)
    for news in (released(2), quarantined(3), released(2)):
        await world.deliver(*news)

    assert (await submit(world))["status"] == "voided"
