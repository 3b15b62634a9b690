"""Budgets: what is left of them, and what approvals commit, in whatever order the news arrives."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk, World

from .company import NOW, Row, person


def budget(**changes: Any) -> Row:
    """Ten thousand euros for CC-310, in the year around the start."""
    row = {
        "id": "BUD-101",
        "cost_centre": "CC-310",
        "name": "Workshop",
        "owner": "sarah.chen",
        "starts_at": NOW - 90 * DAY,
        "ends_at": NOW + 275 * DAY,
        "limit_amount": 10_000.0,
    }
    return {**row, **changes}


def ledger(**changes: Any) -> Row:
    """The ledger of that budget: 7,000 committed, two days old where one is allowed."""
    row = {
        "id": "MET-0310",
        "name": "budget_committed",
        "subject": "BUD-101",
        "value": 7000.0,
        "unit": "EUR",
        "as_of": NOW - 2 * DAY,
        "ttl_s": DAY,
        "source": "ledger",
        "refresh_s": HOUR,
    }
    return {**row, **changes}


LAST_YEAR = budget(id="BUD-102", starts_at=NOW - 455 * DAY, ends_at=NOW - 90 * DAY)


async def open_books(datahub: Desk, **tables: list[Row]) -> World:
    rows = {
        "people": [person()],
        "budgets": [budget(), LAST_YEAR, budget(id="BUD-103", cost_centre="CC-311")],
        "metrics": [ledger()],
        "sources": [{"id": "MET-0310", "values": [8200.0]}],
        **tables,
    }
    return await datahub.world(rows, now=NOW, actor="alex.agent", role="analyst")


async def balance(world: World, budget_id: str = "BUD-101") -> Row:
    answer = await world.get(f"/budgets/{budget_id}")
    assert answer.status_code == 200, answer.text
    found: Row = answer.json()
    return found


def spent(request_id: str, amount: float, cost_centre: str = "CC-310") -> Row:
    return {"request_id": request_id, "amount": amount, "cost_centre": cost_centre}


async def test_a_refresh_of_its_ledger_changes_what_is_left(datahub: Desk) -> None:
    world = await open_books(datahub)

    await world.post("/catalog/metrics/MET-0310/refresh")
    await world.advance(HOUR)

    shown = await balance(world)
    assert (shown["committed"], shown["remaining"], shown["is_stale"]) == (8200.0, 1800.0, False)


async def test_a_budget_without_a_ledger_has_all_of_its_limit(datahub: Desk) -> None:
    world = await open_books(datahub)

    shown = await balance(world, "BUD-103")

    assert (shown["remaining"], shown["metric_id"], shown["as_of"]) == (10_000.0, None, None)


async def test_budgets_are_listed_by_cost_centre(datahub: Desk) -> None:
    world = await open_books(datahub)

    found = (await world.get("/budgets", params={"cost_centre": "CC-310"})).json()
    first = (await world.get("/budgets", params={"limit": 2})).json()
    rest = (await world.get("/budgets", params={"cursor": first["next_cursor"]})).json()

    assert [one["id"] for one in found["items"]] == ["BUD-101", "BUD-102"]
    assert [one["id"] for one in [*first["items"], *rest["items"]]] == ["BUD-101", "BUD-102", "BUD-103"]


async def test_an_unknown_budget_is_refused(datahub: Desk) -> None:
    world = await open_books(datahub)

    answer = await world.get("/budgets/BUD-999")

    assert (answer.status_code, answer.json()["type"]) == (404, "budget_unknown")
    assert answer.json()["remedy"] == "datahub_list_budgets"


async def test_the_same_approval_told_twice_commits_once(datahub: Desk) -> None:
    world = await open_books(datahub)

    event_id = await world.deliver("budget.consumed", spent("APR-0001", 100.0))
    await world.deliver("budget.consumed", spent("APR-0001", 100.0), event_id=event_id)
    await world.deliver("budget.consumed", spent("APR-0001", 100.0))

    assert (await balance(world))["reserved"] == 100.0


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
async def test_approvals_and_refreshes_commute(datahub: Desk, order: tuple[int, ...]) -> None:
    """Two approvals and a refresh of the ledger leave the same balance, whichever comes first."""
    world = await open_books(datahub)

    async def refresh() -> None:
        await world.post("/catalog/metrics/MET-0310/refresh")
        await world.advance(HOUR)

    acts = [
        lambda: world.deliver("budget.consumed", spent("APR-0001", 0.1)),
        lambda: world.deliver("budget.consumed", spent("APR-0002", 0.2)),
        refresh,
    ]
    for number in order:
        await acts[number]()

    shown = await balance(world)
    assert (shown["committed"], shown["reserved"], shown["remaining"]) == (8200.0, 0.3, 1799.7)
