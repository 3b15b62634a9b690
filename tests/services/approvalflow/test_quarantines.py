"""What a quarantined metric does to requests, in whatever order the events arrive."""

from itertools import permutations
from typing import Any

import pytest

from companyos.sdk.simtime import DAY
from tests.live_services import Desk, World

from .company import NOW, Row, read, request, score, stale_score, start, submit, ticket, trail

QUARANTINED = ("metric.quarantined", {"metric_id": "MET-0104", "number": 1})
RELEASED = ("metric.released", {"metric_id": "MET-0104", "number": 2})
REFRESHED = (
    "metric.refreshed",
    {
        "metric_id": "MET-0104",
        "subject": "V-104",
        "name": "compliance_score",
        "value": 85.0,
        "as_of": NOW,
        "expires_at": NOW + 2 * DAY,
        "version": 3,
    },
)
VERIFIED = (
    "ticket.verified",
    {"ticket_id": "TD-1042", "kind": "vendor_onboarding", "subject": "V-104", "version": 5},
)


async def deliver(world: World, *news: tuple[str, Row]) -> None:
    for name, payload in news:
        await world.deliver(name, payload)


async def outcome(world: World, request_id: str = "APR-0007") -> tuple[Any, ...]:
    told = await read(world, request_id)
    return told["status"], told["reason_code"], told["decision_due_at"]


async def test_a_quarantine_voids_the_request_that_rests_on_the_metric(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])

    await deliver(world, QUARANTINED)

    assert await outcome(world) == ("voided", "metric_quarantined", None)
    assert (await read(world, "APR-0007"))[
        "reason"
    ] == "MET-0104, on which the request rests, is quarantined."
    assert (await trail(world, "APR-0007"))[-1] == "voided"


async def test_a_quarantine_leaves_requests_that_rest_on_something_else_or_have_ended(
    approvalflow: Desk,
) -> None:
    other = request(id="APR-0008", evidence={**request()["evidence"], "metric_id": "MET-0200"})
    ended = request(id="APR-0009", status="approved", decision_due=None)
    world = await start(approvalflow, requests=[other, ended])

    await deliver(world, QUARANTINED)

    assert (await outcome(world, "APR-0008"))[0] == "pending"
    assert (await outcome(world, "APR-0009"))[0] == "approved"


async def test_a_request_made_while_the_metric_is_quarantined_is_void_at_once(approvalflow: Desk) -> None:
    world = await start(approvalflow)
    await deliver(world, QUARANTINED)

    made = await submit(world)

    assert made["status"] == "voided"
    assert made["reason_code"] == "metric_quarantined"
    await world.advance(8 * DAY)
    assert (await outcome(world, "APR-0001"))[0] == "voided"


async def test_a_request_made_after_the_release_goes_to_its_approver(approvalflow: Desk) -> None:
    world = await start(approvalflow)
    await deliver(world, QUARANTINED, RELEASED)

    made = await submit(world)

    assert made["status"] == "pending"


async def test_a_metric_that_was_quarantined_from_the_start_voids_too(approvalflow: Desk) -> None:
    known = {"id": "MET-0104", "number": 0, "active": True}
    world = await start(approvalflow, quarantined_metrics=[known])

    assert (await submit(world))["status"] == "voided"
    await deliver(world, ("metric.released", {"metric_id": "MET-0104", "number": 1}))

    assert (await submit(world))["status"] == "pending"


@pytest.mark.parametrize("order", list(permutations((QUARANTINED, REFRESHED, VERIFIED))))
async def test_a_held_request_ends_the_same_in_any_order(
    approvalflow: Desk, order: tuple[tuple[str, Row], ...]
) -> None:
    world = await start(approvalflow, tickets=[ticket(verified=False)], metrics=[stale_score()])
    await submit(world)

    await deliver(world, *order)

    assert await outcome(world, "APR-0001") == ("voided", "metric_quarantined", None)
    assert (await trail(world, "APR-0001"))[-2:] == ["released", "voided"]


async def test_an_event_heard_twice_counts_once(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])

    await deliver(world, QUARANTINED, RELEASED, QUARANTINED, RELEASED)

    assert (await trail(world, "APR-0007")).count("voided") == 1


async def test_a_quarantine_of_a_metric_that_nobody_announced_is_kept(approvalflow: Desk) -> None:
    world = await start(approvalflow, metrics=[score()])

    await deliver(world, ("metric.quarantined", {"metric_id": "MET-0999", "number": 1}))

    assert (await world.rows("quarantined_metrics"))["MET-0999"]["active"] is True
