"""News that arrives after newer news of the same object: requests end as if it had arrived in order."""

from dataclasses import replace
from itertools import permutations

import pytest

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk, World

from .company import NOW, Row, read, stale_score, start, submit, ticket, trail

#: When news was published, whenever it arrives.
FIRST, SECOND, THIRD = NOW + HOUR, NOW + 2 * HOUR, NOW + 3 * HOUR
News = tuple[str, Row, int]
TICKET = {"ticket_id": "TD-1042", "kind": "vendor_onboarding", "subject": "V-104"}
METRIC = {"metric_id": "MET-0104", "name": "compliance_score", "subject": "V-104", "as_of": NOW}


def verified(version: int, at: int) -> News:
    return "ticket.verified", {**TICKET, "version": version}, at


def reopened(version: int, at: int, name: str = "ticket.reopened") -> News:
    return name, {**TICKET, "version": version}, at


def refreshed(version: int, value: float, at: int, expires_at: int = NOW + 9 * DAY) -> News:
    return "metric.refreshed", {**METRIC, "version": version, "value": value, "expires_at": expires_at}, at


async def hear(world: World, *news: News) -> None:
    """Deliver news in this order, each as of the instant at which it was published."""
    now = world.context.now
    for name, payload, at in news:
        world.context = replace(world.context, now=at)
        await world.deliver(name, payload)
    world.context = replace(world.context, now=now)


async def held_for_ticket(approvalflow: Desk, *, submitted_at: int = NOW, **tables: list[Row]) -> World:
    """Return a world with a request that waits until its ticket is verified."""
    world = await start(approvalflow, tickets=[ticket(verified=False)], **tables)
    world.context = replace(world.context, now=submitted_at)
    assert "ticket_verified" in (await submit(world))["waiting_for"]
    return world


async def held_for_metric(approvalflow: Desk, *, submitted_at: int = NOW, **tables: list[Row]) -> World:
    """Return a world with a request that waits until its metric is fresh."""
    world = await start(approvalflow, metrics=[stale_score()], **tables)
    world.context = replace(world.context, now=submitted_at)
    assert "metric_fresh" in (await submit(world))["waiting_for"]
    return world


async def outcome(world: World) -> tuple[str, str | None]:
    request = await read(world, "APR-0001")
    return request["status"], request["reason_code"]


VOIDED_BY_TICKET = ("voided", "ticket_reopened")
VOIDED_BY_METRIC = ("voided", "metric_changed")
HELD, PENDING = ("held", None), ("pending", None)


@pytest.mark.parametrize("name", ["ticket.reopened", "ticket.returned"])
@pytest.mark.parametrize("order", list(permutations(range(2))))
async def test_a_verification_that_was_revoked_voids_a_request_in_either_order(
    approvalflow: Desk, order: tuple[int, ...], name: str
) -> None:
    world = await held_for_ticket(approvalflow)
    news = [verified(5, FIRST), reopened(6, SECOND, name)]

    await hear(world, *(news[number] for number in order))

    assert await outcome(world) == VOIDED_BY_TICKET
    assert await trail(world, "APR-0001") == ["submitted", "held", "released", "voided"]
    known = (await world.rows("tickets"))["TD-1042"]
    assert (known["verified"], known["version"]) == (False, 6)


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_a_request_ends_with_the_first_verification_though_another_follows(
    approvalflow: Desk, order: tuple[int, ...]
) -> None:
    world = await held_for_ticket(approvalflow)
    news = [verified(5, FIRST), reopened(6, SECOND), verified(7, THIRD)]

    await hear(world, *(news[number] for number in order))

    assert await outcome(world) == VOIDED_BY_TICKET
    known = (await world.rows("tickets"))["TD-1042"]
    assert (known["verified"], known["version"]) == (True, 7)


@pytest.mark.parametrize(
    ("submitted_at", "ended"),
    [(SECOND - 1, VOIDED_BY_TICKET), (SECOND, HELD), (SECOND + 1, HELD)],
    ids=["before the reopening", "with it", "after it"],
)
async def test_a_late_verification_counts_for_requests_made_before_it_was_revoked(
    approvalflow: Desk, submitted_at: int, ended: tuple[str, str | None]
) -> None:
    world = await held_for_ticket(approvalflow, submitted_at=submitted_at)

    await hear(world, reopened(6, SECOND), verified(5, FIRST))

    assert await outcome(world) == ended


async def test_a_late_verification_releases_nothing_that_lacks_something_else(approvalflow: Desk) -> None:
    world = await held_for_ticket(approvalflow, metrics=[stale_score()])

    await hear(world, reopened(6, SECOND), verified(5, FIRST))

    held = await read(world, "APR-0001")
    assert (held["status"], held["waiting_for"]) == ("held", ["ticket_verified", "metric_fresh"])


@pytest.mark.parametrize(
    ("announced_at", "ended"),
    [(SECOND, VOIDED_BY_TICKET), (SECOND + 1, HELD)],
    ids=["by the reopening", "after it"],
)
async def test_a_metric_that_came_after_the_reopening_was_not_there_to_release_a_request(
    approvalflow: Desk, announced_at: int, ended: tuple[str, str | None]
) -> None:
    world = await held_for_ticket(approvalflow, metrics=[stale_score()])

    await hear(world, refreshed(2, 85.0, announced_at), reopened(6, SECOND), verified(5, FIRST))

    assert await outcome(world) == ended


async def test_two_reopenings_without_a_verification_between_them_void_nothing(approvalflow: Desk) -> None:
    world = await held_for_ticket(approvalflow)

    await hear(world, reopened(6, SECOND), reopened(5, FIRST))

    assert await outcome(world) == HELD


async def test_a_late_verification_before_a_later_one_voids_nothing(approvalflow: Desk) -> None:
    world = await held_for_ticket(approvalflow)

    await hear(world, verified(6, SECOND), verified(5, FIRST))

    pending = await read(world, "APR-0001")
    assert (pending["status"], pending["evidence"]["ticket_version"]) == ("pending", 6)


async def test_a_late_pair_is_the_one_that_the_news_belongs_to(approvalflow: Desk) -> None:
    world = await held_for_ticket(approvalflow, submitted_at=SECOND + 1)

    # The first pair ended before the request was made; that it is completed late does not matter to it.
    await hear(world, reopened(6, SECOND), verified(7, THIRD), verified(5, FIRST))

    assert await outcome(world) == PENDING


async def test_a_request_about_another_ticket_is_not_concerned(approvalflow: Desk) -> None:
    world = await start(approvalflow, tickets=[ticket(verified=False), ticket(id="TD-2", verified=False)])
    await submit(world, ticket_id="TD-2")

    await hear(world, reopened(6, SECOND), verified(5, FIRST))

    assert await outcome(world) == HELD


@pytest.mark.parametrize(
    ("values", "ended"),
    [((85.0, 90.0), VOIDED_BY_METRIC), ((85.0, 85.0), PENDING)],
    ids=["changed", "confirmed"],
)
@pytest.mark.parametrize("order", list(permutations(range(2))))
async def test_a_value_that_was_replaced_voids_a_request_in_either_order(
    approvalflow: Desk, order: tuple[int, ...], values: tuple[float, float], ended: tuple[str, str | None]
) -> None:
    world = await held_for_metric(approvalflow)
    news = [refreshed(2, values[0], FIRST), refreshed(3, values[1], SECOND)]

    await hear(world, *(news[number] for number in order))

    assert await outcome(world) == ended
    known = (await world.rows("metrics"))["MET-0104"]
    assert (known["version"], known["value"]) == (3, values[1])


@pytest.mark.parametrize(
    ("submitted_at", "ended"),
    [(SECOND - 1, VOIDED_BY_METRIC), (SECOND, PENDING), (SECOND + 1, PENDING)],
    ids=["before it was replaced", "with that", "after it"],
)
async def test_a_late_value_counts_for_requests_made_before_it_was_replaced(
    approvalflow: Desk, submitted_at: int, ended: tuple[str, str | None]
) -> None:
    world = await held_for_metric(approvalflow, submitted_at=submitted_at)

    await hear(world, refreshed(3, 90.0, SECOND), refreshed(2, 85.0, FIRST))

    assert await outcome(world) == ended


@pytest.mark.parametrize(
    ("expires_at", "ended"),
    [(FIRST, PENDING), (FIRST + 1, VOIDED_BY_METRIC)],
    ids=["at once", "a second later"],
)
async def test_a_late_value_that_had_expired_when_it_was_published_releases_nothing(
    approvalflow: Desk, expires_at: int, ended: tuple[str, str | None]
) -> None:
    world = await held_for_metric(approvalflow)

    await hear(world, refreshed(3, 90.0, SECOND), refreshed(2, 85.0, FIRST, expires_at))

    assert await outcome(world) == ended


@pytest.mark.parametrize(
    ("verified_at", "ended"),
    [(SECOND - 1, VOIDED_BY_METRIC), (SECOND, PENDING)],
    ids=["before it was replaced", "with that"],
)
async def test_a_late_value_counts_for_requests_whose_ticket_was_verified_before_it_was_replaced(
    approvalflow: Desk, verified_at: int, ended: tuple[str, str | None]
) -> None:
    world = await held_for_metric(approvalflow, tickets=[ticket(verified=False)])

    await hear(world, refreshed(3, 90.0, SECOND), verified(5, verified_at), refreshed(2, 85.0, FIRST))

    assert await outcome(world) == ended


async def test_of_late_values_the_next_different_one_decides(approvalflow: Desk) -> None:
    world = await held_for_metric(approvalflow, submitted_at=SECOND)

    await hear(world, refreshed(4, 90.0, THIRD), refreshed(3, 85.0, SECOND), refreshed(2, 85.0, FIRST))

    # At the second instant the value was 85 again, which the third one then replaced.
    assert await outcome(world) == VOIDED_BY_METRIC
