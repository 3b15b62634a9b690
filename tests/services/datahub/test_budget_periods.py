"""Which budget an approval is charged to, instant by instant, and what a budget tells of its ledger."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk, World

from .company import NOW, Row, score, start


def budget(budget_id: str = "BUD-101", **changes: Any) -> Row:
    """A thousand euros for CC-310, from a day before the start until a day after it."""
    row = {"id": budget_id, "cost_centre": "CC-310", "name": "Workshop", "owner": "sarah.chen"}
    return {**row, "starts_at": NOW - DAY, "ends_at": NOW + DAY, "limit_amount": 1000.0, **changes}


def ledger(**changes: Any) -> Row:
    """What the ledger of that budget counted an hour ago; it counts for a day."""
    row = {"id": "MET-0310", "name": "budget_committed", "subject": "BUD-101", "value": 700.0}
    return score(**{**row, "as_of": NOW - HOUR, "ttl_s": DAY, **changes})


def spent(request_id: str, amount: float = 10.0, **changes: Any) -> Row:
    return {"request_id": request_id, "amount": amount, "cost_centre": "CC-310", **changes}


async def balance(world: World, budget_id: str = "BUD-101") -> Row:
    found: Row = (await world.get(f"/budgets/{budget_id}")).json()
    return found


async def charged(world: World) -> dict[str, str]:
    """Return the budget that each request was charged to."""
    return {key: row["budget_id"] for key, row in (await world.rows("commitments")).items()}


@pytest.mark.parametrize(
    ("starts_at", "ends_at", "is_charged"),
    [
        (NOW, NOW + 1, True),
        (NOW + 1, NOW + 2, False),
        (NOW - 1, NOW, False),
        (NOW - 1, NOW + 1, True),
    ],
    ids=["first instant", "before", "just over", "last instant"],
)
async def test_a_budget_is_charged_from_its_first_instant_until_just_before_its_end(
    datahub: Desk, starts_at: int, ends_at: int, is_charged: bool
) -> None:
    world = await start(datahub, budgets=[budget(starts_at=starts_at, ends_at=ends_at)])

    await world.deliver("budget.consumed", spent("APR-0001"))

    assert await charged(world) == ({"APR-0001": "BUD-101"} if is_charged else {})


async def test_of_budgets_that_follow_one_another_each_pays_in_its_own_time(datahub: Desk) -> None:
    following = budget("BUD-102", starts_at=NOW + DAY, ends_at=NOW + 2 * DAY)
    world = await start(datahub, budgets=[budget(), following])

    await world.deliver("budget.consumed", spent("APR-0001"))
    await world.advance(DAY)
    await world.deliver("budget.consumed", spent("APR-0002"))
    await world.advance(DAY)
    await world.deliver("budget.consumed", spent("APR-0003"))

    assert await charged(world) == {"APR-0001": "BUD-101", "APR-0002": "BUD-102"}


async def test_an_amount_is_charged_to_one_budget_even_if_two_are_current(datahub: Desk) -> None:
    world = await start(datahub, budgets=[budget(), budget("BUD-102")])

    await world.deliver("budget.consumed", spent("APR-0001", 30.0))

    assert await charged(world) == {"APR-0001": "BUD-101"}
    assert (await balance(world, "BUD-102"))["reserved"] == 0.0


async def test_a_named_budget_is_charged_before_after_and_beside_the_current_one(datahub: Desk) -> None:
    past = budget("BUD-102", starts_at=NOW - 9 * DAY, ends_at=NOW - DAY)
    to_come = budget("BUD-103", starts_at=NOW + DAY, ends_at=NOW + 9 * DAY)
    world = await start(datahub, budgets=[budget(), past, to_come])

    for number, budget_id in enumerate(["BUD-102", "BUD-103", "BUD-101"], start=1):
        await world.deliver("budget.consumed", spent(f"PUR-{number}", budget_id=budget_id))

    assert await charged(world) == {"PUR-1": "BUD-102", "PUR-2": "BUD-103", "PUR-3": "BUD-101"}


@pytest.mark.parametrize(
    "changes",
    [{"budget_id": "BUD-999"}, {"budget_id": "BUD-101", "cost_centre": "CC-311"}, {"cost_centre": "CC-311"}],
    ids=["unknown budget", "budget of another cost centre", "other cost centre"],
)
async def test_an_amount_that_fits_no_budget_is_charged_to_none(datahub: Desk, changes: Row) -> None:
    world = await start(datahub, budgets=[budget()])

    event_id = await world.deliver("budget.consumed", spent("APR-0001", **changes))

    assert (await world.applied(event_id))["changes"] == []


async def test_a_commitment_keeps_its_amount_and_its_time(datahub: Desk) -> None:
    world = await start(datahub, budgets=[budget()])
    await world.advance(HOUR)

    await world.deliver("budget.consumed", spent("APR-0001", 12.34))

    assert await world.rows("commitments") == {
        "APR-0001": {"id": "APR-0001", "budget_id": "BUD-101", "amount": 12.34, "at": NOW + HOUR}
    }


async def test_a_balance_tells_everything_about_its_budget(datahub: Desk) -> None:
    world = await start(datahub, budgets=[budget(currency="CHF")], metrics=[ledger()])

    assert await balance(world) == {
        "id": "BUD-101",
        "cost_centre": "CC-310",
        "name": "Workshop",
        "owner": "sarah.chen",
        "starts_at": to_iso(NOW - DAY),
        "ends_at": to_iso(NOW + DAY),
        "currency": "CHF",
        "limit_amount": 1000.0,
        "metric_id": "MET-0310",
        "committed": 700.0,
        "as_of": to_iso(NOW - HOUR),
        "is_stale": False,
        "reserved": 0.0,
        "remaining": 300.0,
    }


@pytest.mark.parametrize(("age", "is_stale"), [(DAY - 1, False), (DAY, True), (DAY + 1, True)])
async def test_a_ledger_counts_until_just_before_the_end_of_its_lifetime(
    datahub: Desk, age: int, is_stale: bool
) -> None:
    world = await start(datahub, budgets=[budget()], metrics=[ledger(as_of=NOW - age)])

    shown = await balance(world)

    assert (shown["is_stale"], shown["committed"]) == (is_stale, 700.0)


async def test_a_ledger_without_a_value_has_committed_nothing_so_far(datahub: Desk) -> None:
    world = await start(datahub, budgets=[budget()], metrics=[ledger(value=None)])

    shown = await balance(world)

    assert (shown["metric_id"], shown["committed"], shown["remaining"]) == ("MET-0310", 0.0, 1000.0)


@pytest.mark.parametrize(
    "other", [{"name": "budget_planned"}, {"subject": "BUD-102"}], ids=["other name", "other budget"]
)
async def test_a_metric_that_is_not_the_ledger_of_a_budget_says_nothing_about_it(
    datahub: Desk, other: Row
) -> None:
    world = await start(datahub, budgets=[budget()], metrics=[ledger(**other)])

    shown = await balance(world)

    assert (shown["metric_id"], shown["remaining"], shown["is_stale"]) == (None, 1000.0, False)


async def test_a_budget_can_be_overspent_and_says_by_how_much(datahub: Desk) -> None:
    world = await start(datahub, budgets=[budget()], metrics=[ledger(value=999.99)])

    await world.deliver("budget.consumed", spent("APR-0001", 0.02))

    assert (await balance(world))["remaining"] == -0.01


async def test_amounts_are_told_to_the_cent(datahub: Desk) -> None:
    world = await start(datahub, budgets=[budget()], metrics=[ledger(value=0.004)])

    await world.deliver("budget.consumed", spent("APR-0001", 0.333))

    shown = await balance(world)
    assert (shown["reserved"], shown["remaining"]) == (0.33, 999.66)
