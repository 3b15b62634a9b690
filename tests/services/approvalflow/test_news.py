"""News from the other services: what it does to requests."""

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk

from .company import (
    NOW,
    Row,
    published,
    read,
    request,
    stale_score,
    start,
    submit,
    ticket,
    trail,
)
from .news import refreshed, reopened, state, verified


async def test_a_request_is_about_what_its_ticket_turns_out_to_be_about(approvalflow: Desk) -> None:
    world = await start(approvalflow, tickets=[ticket(verified=False, subject=None)])
    await submit(world)
    before = await read(world, "APR-0001")

    await world.deliver("ticket.verified", verified())

    released = await read(world, "APR-0001")
    assert (before["status"], before["waiting_for"]) == ("held", ["ticket_verified", "metric_fresh"])
    assert (released["status"], released["subject"]) == ("pending", "V-104")
    assert released["evidence"]["metric_id"] == "MET-0104"


async def test_verifying_the_ticket_releases_the_request_with_what_holds_then(approvalflow: Desk) -> None:
    world = await start(approvalflow, tickets=[ticket(verified=False)])
    await submit(world)

    await world.deliver("ticket.verified", verified())

    released = await read(world, "APR-0001")
    assert (released["status"], released["waiting_for"]) == ("pending", [])
    assert released["evidence"]["ticket_version"] == 5
    assert released["decision_due_at"] == to_iso(NOW + 2 * HOUR)
    assert await trail(world, "APR-0001") == ["submitted", "held", "released"]


async def test_a_ticket_not_known_before_becomes_known_by_its_verification(approvalflow: Desk) -> None:
    world = await start(approvalflow, tickets=[])

    await world.deliver("ticket.verified", verified())

    assert (await submit(world))["status"] == "pending"


async def test_a_ticket_that_nobody_waits_for_is_only_remembered(approvalflow: Desk) -> None:
    world = await start(
        approvalflow, requests=[request(status="approved"), request(id="APR-0008", ticket_id="TD-1")]
    )

    await world.deliver("ticket.verified", verified())

    assert await world.rows("requests", scope="diff") == {}


async def test_a_fresh_metric_releases_the_request_with_its_value_pinned(approvalflow: Desk) -> None:
    world = await start(approvalflow, metrics=[stale_score()])
    await submit(world)

    await world.deliver("metric.refreshed", refreshed())

    evidence = (await read(world, "APR-0001"))["evidence"]
    assert (evidence["metric_version"], evidence["metric_value"]) == (3, 85.0)


async def test_a_metric_of_another_name_releases_nothing(approvalflow: Desk) -> None:
    world = await start(approvalflow, metrics=[])
    await submit(world)

    await world.deliver("metric.refreshed", refreshed(name="risk_score"))

    assert (await read(world, "APR-0001"))["status"] == "held"


async def test_stated_value_is_compared_with_the_metric_pinned_later(approvalflow: Desk) -> None:
    world = await start(approvalflow, metrics=[stale_score()])
    await submit(world, fields={"vendor_name": "Acme", "compliance_score": 72})

    await world.deliver("metric.refreshed", refreshed())
    await world.advance(2 * HOUR)

    assert (await read(world, "APR-0001"))["reason_code"] == "metric_mismatch"


@pytest.mark.parametrize("status", ["pending", "escalated"])
async def test_a_metric_that_changes_voids_the_request_resting_on_it(approvalflow: Desk, status: str) -> None:
    world = await start(approvalflow, requests=[request(status=status)])

    await world.deliver("metric.refreshed", refreshed(value=76.0))
    effects = await world.advance(30 * DAY)

    voided = await read(world, "APR-0007")
    assert (voided["status"], voided["reason_code"]) == ("voided", "metric_changed")
    assert "has changed since the request was passed to its approver" in voided["reason"]
    assert await trail(world, "APR-0007") == ["voided"]
    assert effects["changes"] == []
    assert await published(world, "approval.decided") == []


async def test_a_metric_confirmed_with_the_same_value_voids_nothing(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])

    await world.deliver("metric.refreshed", refreshed(value=85.0))

    assert (await read(world, "APR-0007"))["status"] == "pending"


async def test_a_metric_that_the_request_does_not_rest_on_voids_nothing(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])

    await world.deliver("metric.refreshed", refreshed(metric_id="MET-0200", value=1.0))

    assert (await read(world, "APR-0007"))["status"] == "pending"


@pytest.mark.parametrize("status", ["approved", "rejected", "withdrawn", "expired", "voided"])
async def test_a_request_that_has_ended_is_left_alone(approvalflow: Desk, status: str) -> None:
    world = await start(approvalflow, requests=[request(status=status, decision_due=None)])

    await world.deliver("metric.refreshed", refreshed(value=1.0))
    await world.deliver("ticket.reopened", reopened(version=6))

    assert await world.rows("requests", scope="diff") == {}


async def test_reopening_the_ticket_voids_the_request_resting_on_it(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])

    await world.deliver("ticket.reopened", reopened(version=5))

    voided = await read(world, "APR-0007")
    assert (voided["status"], voided["reason_code"]) == ("voided", "ticket_reopened")


async def test_returning_the_ticket_to_its_reporter_voids_the_request_about_it(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])

    await world.deliver("ticket.returned", reopened(version=5))

    voided = await read(world, "APR-0007")
    assert (voided["status"], voided["reason_code"]) == ("voided", "ticket_reopened")
    assert "returned to its reporter" in voided["reason"]


@pytest.mark.parametrize("status", ["pending", "held"])
async def test_merging_the_ticket_voids_the_open_requests_about_it(approvalflow: Desk, status: str) -> None:
    world = await start(approvalflow, requests=[request(status=status)])

    await world.deliver("ticket.merged", {"ticket_id": "TD-1042", "into": "TD-1050"})

    voided = await read(world, "APR-0007")
    assert (voided["status"], voided["reason_code"]) == ("voided", "ticket_merged")
    assert "TD-1050" in voided["reason"]


async def test_merging_another_ticket_voids_nothing(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])

    await world.deliver("ticket.merged", {"ticket_id": "TD-1050", "into": "TD-1042"})

    assert (await read(world, "APR-0007"))["status"] == "pending"


async def test_a_request_made_for_a_returned_ticket_waits_for_its_verification(approvalflow: Desk) -> None:
    world = await start(approvalflow)

    await world.deliver("ticket.returned", reopened(version=5))

    assert (await submit(world))["waiting_for"] == ["ticket_verified"]


async def test_reopening_the_ticket_makes_a_held_request_wait_for_it_again(approvalflow: Desk) -> None:
    world = await start(approvalflow, metrics=[stale_score()])
    await submit(world)

    await world.deliver("ticket.reopened", reopened(version=5))

    held = await read(world, "APR-0001")
    assert (held["status"], held["waiting_for"]) == ("held", ["ticket_verified", "metric_fresh"])


async def test_a_ticket_that_is_heard_of_by_its_reopening_first_is_not_verified(approvalflow: Desk) -> None:
    world = await start(approvalflow, tickets=[])

    await world.deliver("ticket.reopened", reopened(version=6))
    await world.deliver("ticket.verified", verified(version=5))

    ticket = (await world.rows("tickets"))["TD-1042"]
    assert (ticket["verified"], ticket["version"]) == (False, 6)


async def test_stored_ticket_does_not_grow_with_its_past(approvalflow: Desk) -> None:
    world = await start(approvalflow)

    sizes = []
    for version in range(5, 15, 2):
        await world.deliver("ticket.reopened", reopened(version=version))
        await world.deliver("ticket.verified", verified(version=version + 1))
        sizes.append(len(str((await world.rows("tickets"))["TD-1042"])))

    announced = await world.internal_rows("announcements", "version", "verified")
    assert max(sizes) <= min(sizes) + 2
    assert announced == [(version, version % 2 == 0) for version in range(5, 15)]


async def test_a_metric_that_expires_makes_a_held_request_wait_for_it_again(approvalflow: Desk) -> None:
    world = await start(approvalflow, tickets=[ticket(verified=False)])
    held = await submit(world)

    await world.deliver("metric.expired", {"metric_id": "MET-0104", "version": 2})
    waiting = await read(world, "APR-0001")
    await world.deliver("ticket.verified", verified())

    assert held["waiting_for"] == ["ticket_verified"]
    assert waiting["waiting_for"] == ["ticket_verified", "metric_fresh"]
    assert (await read(world, "APR-0001"))["waiting_for"] == ["metric_fresh"]


async def test_a_metric_that_expires_does_not_take_back_what_lies_at_an_approver(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])

    await world.deliver("metric.expired", {"metric_id": "MET-0104", "version": 2})
    await world.advance(HOUR)

    assert (await read(world, "APR-0007"))["status"] == "approved"


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("ticket.verified", verified(version=4)),
        ("ticket.reopened", reopened(version=4)),
        ("metric.refreshed", refreshed(version=2, value=1.0)),
        ("metric.expired", {"metric_id": "MET-0104", "version": 1}),
        ("metric.expired", {"metric_id": "MET-0404", "version": 1}),
        ("person.away", {"person_id": "nobody", "until": NOW + DAY, "version": 1}),
        ("person.back", {"person_id": "nobody", "version": 1}),
        ("person.away", {"person_id": "sarah.chen", "until": NOW + DAY, "version": 0}),
        ("person.back", {"person_id": "sarah.chen", "version": 0}),
    ],
)
async def test_old_news_and_news_of_strangers_change_nothing(
    approvalflow: Desk, name: str, payload: Row
) -> None:
    world = await start(approvalflow, requests=[request()])
    before = await state(world)

    await world.deliver(name, payload)

    assert await state(world) == before


async def test_a_person_is_away_from_the_announcement_and_back_by_another(approvalflow: Desk) -> None:
    world = await start(approvalflow)

    await world.deliver("person.away", {"person_id": "sarah.chen", "until": NOW + HOUR, "version": 1})
    away = (await world.rows("people"))["sarah.chen"]
    await world.advance(HOUR)
    await world.deliver("person.back", {"person_id": "sarah.chen", "version": 2})
    back = (await world.rows("people"))["sarah.chen"]

    assert (away["away"], away["away_until"]) == (True, NOW + HOUR)
    assert (back["away"], back["away_until"]) == (False, None)


async def test_a_pending_request_stays_with_an_approver_who_goes_away(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])

    await world.deliver("person.away", {"person_id": "sarah.chen", "until": NOW + DAY, "version": 1})

    assert (await read(world, "APR-0007"))["status"] == "pending"
