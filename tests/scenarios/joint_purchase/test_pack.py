"""The pack of joint purchases: quarters, departments with their budgets, items, offers and past orders."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.company import Company, Person, hire_cast
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import from_iso
from scenarios.joint_purchase import words
from scenarios.joint_purchase.pack import (
    LEAD,
    PACK,
    PERSONA_ROLE,
    REFRESH_S,
    TEAM,
    Department,
    Money,
    add_department,
    add_item,
    quarter_of,
    some_department,
)
from scenarios.joint_purchase.scenario import SCENARIO

START = "2031-05-05T08:30:00Z"
MONEY = Money(limit=9000.0, shown=2000.0, refreshed=3500.0, following=1250.5, reserve=700.0)
COUNTS = {"head_count": (20.0, 24.0), "usage": (300.0, 250.0)}
Row = dict[str, Any]


def company(start: str = START) -> Company:
    return Company(Draws("pack", start), from_iso(start), SCENARIO.packs, "small")


def keeper(of: Company) -> Person:
    return of.hire("Kit Keeper", "division_head", "Operations")


def department(of: Company, money: Money = MONEY, name: str = "Field Service East") -> Department:
    return add_department(of, of.numbers.reserve, name, money, COUNTS, keeper(of), quarter_of(of))


def row(of: Company, name: str, row_id: str, service: str = "datahub") -> Row:
    return next(one for one in of.rows[service][name] if one["id"] == row_id)


def left(of: Company, budget: Row) -> float:
    """Return what a budget shows as left, if nothing has been ordered on it."""
    [ledger] = [one for one in of.rows["datahub"]["metrics"] if one["subject"] == budget["id"]]
    return round(float(budget["limit_amount"]) - float(ledger["value"]), 2)


@pytest.mark.parametrize(
    ("start", "first", "end"),
    [
        ("2031-01-01T00:00:00Z", "2031-01-01", "2031-04-01"),
        ("2031-03-31T23:59:59Z", "2031-01-01", "2031-04-01"),
        ("2031-04-01T00:00:00Z", "2031-04-01", "2031-07-01"),
        ("2031-10-01T00:00:00Z", "2031-10-01", "2032-01-01"),
        ("2031-12-31T23:59:59Z", "2031-10-01", "2032-01-01"),
    ],
)
def test_a_quarter_has_three_calendar_months_and_the_last_one_ends_with_the_year(
    start: str, first: str, end: str
) -> None:
    assert quarter_of(company(start)) == (from_iso(f"{first}T00:00:00Z"), from_iso(f"{end}T00:00:00Z"))


def test_budgets_of_the_last_this_and_the_next_quarter_follow_each_other_without_a_gap() -> None:
    here = company()
    made = department(here)

    centre = made.record["fields"]["cost_centre"]
    budgets = [one for one in here.rows["datahub"]["budgets"] if one["cost_centre"] == centre]
    periods = [(one["starts_at"], one["ends_at"]) for one in budgets]
    assert len(periods) == 3
    assert [end for _, end in periods[:-1]] == [start for start, _ in periods[1:]]
    assert periods[1] == quarter_of(here)
    assert budgets[1:] == [made.current, made.following]


@pytest.mark.parametrize("reserve", [700.0, None])
def test_a_department_has_what_its_money_says_before_and_after_a_refresh(reserve: float | None) -> None:
    here = company()
    made = department(here, replace(MONEY, reserve=reserve))

    kept = [made.reserve] if made.reserve else []
    assert made.budgets == [made.current, made.following, *kept]
    assert [left(here, one) for one in made.budgets] == [7000.0, 1250.5, *([reserve] if reserve else [])]
    assert row(here, "sources", made.ledger["id"])["values"] == [3500.0]
    assert (made.ledger["subject"], made.ledger["value"]) == (made.current["id"], 2000.0)
    assert [one["owner"] for one in made.budgets] == [made.head.id] * 2 + ["kit.keeper"] * len(kept)
    fields = made.record["fields"]
    assert fields["reserve"] == (made.reserve["cost_centre"] if made.reserve else "none")
    assert fields["head"] == made.head.id
    for one in made.budgets:
        known = row(here, "known_budgets", one["id"], "approvalflow")
        assert known == {name: one[name] for name in ("id", "cost_centre", "owner", "starts_at")}


def test_only_the_ledger_of_this_quarter_and_the_metrics_are_stale() -> None:
    here = company()
    made = department(here)
    stale = {one["id"] for one in here.rows["datahub"]["metrics"] if one["as_of"] + one["ttl_s"] < here.start}

    assert {made.ledger["id"], *(one["id"] for one in made.metrics.values())} <= stale
    lasting = {one["id"] for one in made.budgets if one is not made.current}
    assert not stale & {one["id"] for one in here.rows["datahub"]["metrics"] if one["subject"] in lasting}


def test_both_metrics_are_about_the_department_and_change_with_a_refresh() -> None:
    here = company()
    made = department(here)

    told = {
        basis: (one["name"], one["subject"], one["value"], row(here, "sources", one["id"])["values"])
        for basis, one in made.metrics.items()
    }

    assert told == {
        "head_count": ("head_count", made.record["id"], 20.0, [24.0]),
        "usage": ("monthly_usage_hours", made.record["id"], 300.0, [250.0]),
    }
    assert {one["refresh_s"] for one in made.metrics.values()} == {REFRESH_S}


@pytest.mark.parametrize("category", words.CATEGORIES)
def test_an_item_is_a_thing_of_its_category_in_a_model_of_its_own(category: str) -> None:
    here = company()

    items = [add_item(here, here.numbers.reserve, category, "key") for _ in range(5)]

    thing, _, model = items[0]["name"].rpartition(" ")
    assert thing in words.THINGS[category]
    assert model[0].isupper()
    assert 10 <= int(model[1:]) <= 99
    assert len({item["name"] for item in items}) == 5
    assert all(item["fields"] == {"category": category} for item in items)


def test_a_new_department_never_takes_the_name_of_another() -> None:
    here = company()

    first = some_department(here, 1)
    department(here, name=first)

    assert some_department(here, 1) != first


@pytest.mark.parametrize("number", range(4))
def test_a_past_order_is_paid_by_a_department_that_has_an_offer_for_what_it_bought(number: int) -> None:
    here = company()
    cast = hire_cast(here, persona_role=PERSONA_ROLE, team=TEAM, original=False)

    PACK.stories[0](here, cast, number)

    [order] = here.rows["approvalflow"]["purchases"]
    [share] = here.rows["approvalflow"]["purchase_shares"]
    [offer] = [one for one in here.rows["datahub"]["documents"] if one["kind"] == "offer"]
    assert order["status"] == "ordered"
    assert offer["title"].endswith(order["item"])
    assert offer["author"] == cast.offices[LEAD].id
    assert row(here, "budgets", share["budget_id"])["name"].endswith(", this quarter")
    assert share["amount"] == order["amount"] <= 30 * 90
