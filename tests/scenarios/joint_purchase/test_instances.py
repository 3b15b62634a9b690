"""Drawn joint purchases: the ending, recomputed from the rows, and what a pair's instances share."""

import re
from collections import Counter
from functools import cache
from math import fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.chaos import parse_chaos
from companyos.scenario import ExpectedRefusal, Instance, find
from scenarios.joint_purchase.case import PLANS
from scenarios.joint_purchase.papers import chapter
from scenarios.joint_purchase.reading import rules_of
from scenarios.joint_purchase.terms import (
    DECLINED,
    NEXT_QUARTER,
    PLAIN,
    RESERVE,
    SMALLER,
    Account,
    Lot,
    Needs,
    Offer,
    Purse,
    Rules,
    co_signers,
    settle,
    split,
)
from tests.scenarios.conftest import SALT

SCENARIO = find("joint_purchase")
SEEDS = range(10)
Row = dict[str, Any]
ENDINGS = {PLAIN, RESERVE, SMALLER, NEXT_QUARTER, DECLINED}


@cache
def drawn(seed: int) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(0), SALT, "small")


def table(instance: Instance, name: str, service: str = "datahub") -> list[Row]:
    return list(instance.rows[service][name])


def documents(instance: Instance, kind: str, **columns: str) -> list[Row]:
    return [
        row
        for row in table(instance, "documents")
        if row["kind"] == kind and all(row[name] == value for name, value in columns.items())
    ]


def rules(instance: Instance, status: str = "in_force") -> Rules:
    [found] = documents(instance, "handbook", title="Joint purchases", status=status)
    return rules_of(found["body"])


def price(instance: Instance, quantity: int) -> float:
    """Return the price of a lot with delivery, as the offer in force has it."""
    item = instance.goal["item_id"]
    [offer] = [one for one in documents(instance, "offer", status="in_force") if item in one["links"]]
    unit = re.findall(rf"\| {quantity} \| ([\d,.]+) EUR", offer["body"])[0].replace(",", "")
    delivery = re.findall(r"Delivery: ([\d,.]+) EUR", offer["body"])[0].replace(",", "")
    return round(quantity * float(unit) + float(delivery), 2)


def left(instance: Instance, budget_id: str) -> float:
    """Return what is left of a budget once its ledger is refreshed and the colleague has ordered."""
    budget = next(row for row in table(instance, "budgets") if row["id"] == budget_id)
    ledger = next(row for row in table(instance, "metrics") if row["subject"] == budget_id)
    fresh = {row["id"]: float(row["values"][-1]) for row in table(instance, "sources")}
    spent = [row["amount"] for row in table(instance, "commitments") if row["budget_id"] == budget_id]
    plans = table(instance, "planned_orders", "approvalflow")
    spent += [row["amount"] for row in plans if row["budget_id"] == budget_id]
    return fsum(
        [budget["limit_amount"], -fresh.get(ledger["id"], float(ledger["value"])), *(-one for one in spent)]
    )


def names(instance: Instance) -> list[str]:
    return list(re.findall(r": ([\w ]+?) and ([\w ]+?) both want", instance.brief)[0])


def wanted(instance: Instance) -> int:
    return int(re.findall(r"(\d+) of them", instance.brief)[0])


def budgets_of_this_quarter(instance: Instance) -> list[Row]:
    rows = table(instance, "budgets")
    return [next(row for row in rows if row["name"] == f"{one}, this quarter") for one in names(instance)]


def shares_of_all(instance: Instance) -> list[float]:
    """Return both shares of what is wanted, by the weights of the right ending or of the twin's."""
    goal = next(one.goal for one in (instance, drawn(instance.seed ^ 1)) if "purchase" in one.goal)
    owners = [row["owner"] for row in budgets_of_this_quarter(instance)]
    paid = dict.fromkeys(owners, 0.0)
    by_budget = {row["id"]: row for row in table(instance, "budgets")}
    reserves = dict(zip(names(instance), owners, strict=True))
    for share in goal["purchase"]["shares"]:
        budget = by_budget[share["budget_id"]]
        owner = reserves.get(budget["name"].removesuffix(", reserve"), budget["owner"])
        paid[owner] += share["amount"]
    return split(price(instance, wanted(instance)), [paid[owner] for owner in owners])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_shares_are_the_price_of_the_lot_and_no_budget_is_overspent(seed: int) -> None:
    instance = drawn(seed)
    if not instance.feasible:
        return
    purchase = instance.goal["purchase"]

    assert fsum(one["amount"] for one in purchase["shares"]) == pytest.approx(
        price(instance, purchase["quantity"]), abs=0.01
    )
    assert all(one["amount"] <= left(instance, one["budget_id"]) + 0.01 for one in purchase["shares"])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_budget_is_short_exactly_where_the_ending_is_not_the_plain_one(seed: int) -> None:
    instance = drawn(seed)
    shares = shares_of_all(instance)
    budgets = budgets_of_this_quarter(instance)
    short = [
        row["id"] for row, share in zip(budgets, shares, strict=True) if share > left(instance, row["id"]) + 1
    ]

    assert bool(short) == (instance.goal["ending"] != PLAIN)
    if not instance.feasible:
        assert instance.refusal == ExpectedRefusal(["no_budget"], short)


@pytest.mark.parametrize("seed", SEEDS)
def test_both_budgets_look_ample_before_anything_is_refreshed(seed: int) -> None:
    instance = drawn(seed)

    for row, share in zip(budgets_of_this_quarter(instance), shares_of_all(instance), strict=True):
        ledger = next(one for one in table(instance, "metrics") if one["subject"] == row["id"])
        spent = [one["amount"] for one in table(instance, "commitments") if one["budget_id"] == row["id"]]
        assert row["limit_amount"] - ledger["value"] - fsum(spent) > share


@pytest.mark.parametrize("seed", SEEDS)
def test_the_total_says_who_signs_besides_the_owners(seed: int) -> None:
    instance = drawn(seed)
    if instance.feasible:
        purchase = instance.goal["purchase"]
        count = co_signers(rules(instance), price(instance, purchase["quantity"]))
        roles = {row["id"]: row["role"] for row in table(instance, "people")}

        assert [roles[one] for one in purchase["also"]] == ["finance_director", "cfo"][:count]


@pytest.mark.parametrize("seed", SEEDS)
def test_who_signs_is_the_owner_or_a_delegate_who_covers_the_share(seed: int) -> None:
    instance = drawn(seed)
    people = {row["id"]: row for row in table(instance, "people", "approvalflow")}
    owners = {row["id"]: row["owner"] for row in table(instance, "known_budgets", "approvalflow")}
    ready_at = instance.start + instance.goal["ready_in_s"]

    for share in instance.goal.get("purchase", {"shares": []})["shares"]:
        owner = people[owners[share["budget_id"]]]
        is_there = not owner["away"] or owner["away_until"] <= ready_at
        assert share["approver"] == (owner["id"] if is_there else owner["delegate"])
        assert is_there or share["amount"] <= owner["delegate_limit"]


def test_endings_differ_and_one_in_eight_is_declined() -> None:
    goals = [drawn(seed).goal for seed in range(64)]
    endings = Counter(one["ending"] for one in goals)

    assert set(endings) == ENDINGS
    assert 3 <= endings[DECLINED] <= 14
    assert sum(kind == DECLINED for plan in PLANS for _, kind in plan) * 8 == 2 * len(PLANS)


@pytest.mark.parametrize("seed", range(0, 10, 2))
def test_other_editions_of_the_handbook_say_something_else(seed: int) -> None:
    here = rules(drawn(seed))

    for status in ("superseded", "draft"):
        other = rules(drawn(seed), status)
        assert other.bases != here.bases
        assert other.ways != here.ways
        assert other.signing != here.signing


@pytest.mark.parametrize("seed", range(0, 10, 2))
def test_cheaper_offers_do_not_count(seed: int) -> None:
    instance = drawn(seed)
    others = [one for one in documents(instance, "offer") if instance.goal["item_id"] in one["links"]]

    assert Counter(one["status"] for one in others) == {"in_force": 1, "superseded": 1, "withdrawn": 1}


RULES = st.builds(
    Rules,
    st.permutations(["head_count", "usage", "agreed"]).map(
        lambda bases: dict(zip(("equipment", "licenses", "courses"), bases, strict=True))
    ),
    st.tuples(st.integers(1, 20), st.integers(21, 60)).map(lambda pair: (pair[0] * 250.0, pair[1] * 250.0)),
    st.permutations([RESERVE, SMALLER, NEXT_QUARTER]).map(tuple),
    st.integers(1, 40).map(lambda hundreds: hundreds * 100.0),
)


@given(RULES)
def test_what_an_edition_says_is_what_is_read(edition: Rules) -> None:
    assert rules_of(chapter(edition)) == edition


CENTS = st.integers(0, 10**6).map(lambda cents: cents / 100)


def purse(number: int) -> st.SearchStrategy[Purse]:
    accounts = [st.builds(Account, st.just(f"{what}{number}"), CENTS) for what in "cfr"]
    weights = st.integers(1, 500).map(float)
    return st.builds(Purse, weights, accounts[0], accounts[1], st.just("2031-07-01"), st.none() | accounts[2])


DAYS = st.sampled_from(["2031-06-01", "2031-07-01", "2031-08-01"])
OFFERS = st.builds(
    Offer,
    st.tuples(CENTS, CENTS, CENTS).map(
        lambda prices: tuple(Lot(n, price + 10) for n, price in zip((40, 30, 20), prices, strict=True))
    ),
    DAYS,
)
NEEDS = st.builds(Needs, st.just(40), st.integers(15, 40), DAYS)


@given(RULES, OFFERS, NEEDS, st.tuples(purse(0), purse(1)))
def test_no_ending_overspends_a_budget_or_leaves_a_part_of_the_price(
    edition: Rules, offer: Offer, needs: Needs, purses: tuple[Purse, Purse]
) -> None:
    ending = settle(edition, offer, needs, purses)

    left = {
        account.budget_id: account.remaining
        for one in purses
        for account in (one.current, one.following, one.reserve)
        if account is not None
    }
    assert all(amount <= left[budget_id] + 0.005 for budget_id, amount in ending.shares.items())
    assert (ending.lot is None) == (ending.kind == DECLINED)
    assert bool(ending.short) == (ending.kind != PLAIN)
    if ending.lot is not None:
        assert fsum(ending.shares.values()) == pytest.approx(ending.lot.price, abs=0.01)
        assert needs.least <= ending.lot.quantity <= needs.wanted


@given(RULES, OFFERS, NEEDS, st.tuples(purse(0), purse(1)))
def test_a_later_way_is_gone_only_if_no_earlier_one_is_possible(
    edition: Rules, offer: Offer, needs: Needs, purses: tuple[Purse, Purse]
) -> None:
    ending = settle(edition, offer, needs, purses)

    for way in edition.ways:
        alone = settle(
            Rules(edition.bases, edition.signing, (way,), edition.reserve_most), offer, needs, purses
        )
        if alone.kind != DECLINED:
            assert ending == alone
            return
    assert ending.kind == DECLINED
