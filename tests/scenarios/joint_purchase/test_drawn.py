"""Drawn purchases: what is left of the budgets during the day, who can sign, and the documents that mislead."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from companyos.company import Cast, Company
from companyos.company.areas.purchasing import PURCHASE
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, MINUTE, from_iso
from scenarios.joint_purchase.case import AT_REFRESH, BASES, IDS, PLANS, WAYS, Deal, draw_case
from scenarios.joint_purchase.facts import Facts
from scenarios.joint_purchase.pack import METRICS, quarter_of
from scenarios.joint_purchase.scenario import SCENARIO
from scenarios.joint_purchase.terms import AGREED, co_signers, split
from tests.scenarios.conftest import SALT

SEEDS = range(32)
TODAY, QUARTER_ENDS = from_iso("2031-05-05T08:30:00Z"), from_iso("2031-07-01T00:00:00Z")
Row = dict[str, Any]


@dataclass(frozen=True)
class Drawing:
    """A company without its background, and the facts of the task in it."""

    company: Company
    cast: Cast
    facts: Facts

    def rows(self, table: str, service: str = "datahub", **columns: Any) -> list[Row]:
        """Return the rows of a table that have these values."""
        rows = self.company.rows[service][table]
        return [row for row in rows if all(row[name] == value for name, value in columns.items())]

    def fresh(self, metric_id: str) -> float:
        """Return the value of a metric after a refresh."""
        return float(self.rows("sources", id=metric_id)[0]["values"][-1])

    @property
    def shares(self) -> list[float]:
        """The shares of the price of the lot that is wanted."""
        return split(self.facts.case.lot.price, [side.weight for side in self.facts.case.sides])


@cache
def drawing(seed: int) -> Drawing:
    company, cast = SCENARIO.open_company(Draws(SALT, SCENARIO.name, SCENARIO.version, seed // 2), "small")
    return Drawing(company, cast, SCENARIO.place(company, cast, seed))


@cache
def case(pair: int, parity: int = 0) -> Deal:
    return draw_case(Draws("cases", pair), parity, TODAY, QUARTER_ENDS)


def test_every_plan_is_drawn_and_each_cause_falls_on_either_seed_of_a_pair() -> None:
    drawn = Counter((one.causes, one.cause == one.causes[0]) for one in map(case, range(96)))

    assert {causes for causes, _ in drawn} == {(plan[0][0], plan[1][0]) for plan in PLANS}
    assert all(min(drawn[causes, True], drawn[causes, False]) > 0 for causes, _ in drawn)
    for one, other in ((case(pair), case(pair, 1)) for pair in range(20)):
        assert {each.cause: each.ending(IDS).kind for each in (one, other)} in [dict(plan) for plan in PLANS]


def test_most_purchases_would_need_fewer_signatures_if_they_were_divided() -> None:
    cases = [case(pair) for pair in range(96)]
    larger = [max(split(one.lot.price, [side.weight for side in one.sides])) for one in cases]
    signers = [co_signers(one.rules, one.lot.price) for one in cases]
    apart = [co_signers(one.rules, share) for one, share in zip(cases, larger, strict=True)]

    assert {*signers} == {0, 1, 2}
    assert sum(one < another for one, another in zip(apart, signers, strict=True)) > len(cases) / 2
    assert {one.rules.ways[0] for one in cases} == {*WAYS}
    assert {one.basis for one in cases} == {*BASES}


def test_budgets_have_left_as_much_as_the_case_says_at_each_time_of_the_day() -> None:
    """More than enough seems to be left before a refresh; then, or after the colleague's order, it may be short."""
    for purchase in map(drawing, SEEDS):
        facts, deal = purchase.facts, purchase.facts.case
        [planned] = purchase.rows("planned_orders", "approvalflow")
        for number, (one, share) in enumerate(zip(facts.departments, purchase.shares, strict=True)):
            [past] = purchase.rows("commitments", budget_id=one.current["id"])
            ordered = planned["amount"] if planned["budget_id"] == one.current["id"] else 0.0
            shown, left = (
                one.current["limit_amount"] - committed - past["amount"]
                for committed in (one.ledger["value"], purchase.fresh(one.ledger["id"]))
            )
            assert shown > deal.sides[number].ample > share
            assert (share > left) == (one.current["id"] in facts.first_ending.short)
            assert (share > left - ordered) == (one.current["id"] in facts.ending.short)
            assert deal.shows == AT_REFRESH or share <= left
        assert 45 * MINUTE <= planned["at"] - purchase.company.start <= 80 * MINUTE


def test_metrics_split_the_price_only_by_the_basis_and_only_once_they_are_refreshed() -> None:
    for purchase in map(drawing, SEEDS):
        facts, deal = purchase.facts, purchase.facts.case
        for basis in METRICS:
            metrics = [one.metrics[basis] for one in facts.departments]
            stale = split(deal.lot.price, [one["value"] for one in metrics])
            fresh = split(deal.lot.price, [purchase.fresh(one["id"]) for one in metrics])
            assert (fresh == purchase.shares) is (basis == deal.basis)
            assert all(one["value"] != purchase.fresh(one["id"]) for one in metrics)
            assert stale != purchase.shares or basis != deal.basis or stale == fresh


def test_owners_sign_or_their_delegates_while_they_stay_away_and_may_for_every_lot() -> None:
    kinds = Counter[str]()
    for purchase in map(drawing, SEEDS):
        facts, start = purchase.facts, purchase.company.start
        away = {
            row["id"]: row["away_until"] - start for row in purchase.rows("people", "approvalflow", away=True)
        }
        kinds["present" if not away else "days" if 4 * DAY in away.values() else "today"] += 1
        assert len(away) <= 1
        for budget_id, signer in facts.signers.items():
            [owner] = purchase.rows("people", id=facts.budgets[budget_id]["owner"])
            assert signer == owner["delegate" if away.get(owner["id"]) == 4 * DAY else "id"]
        for number, department in enumerate(facts.departments):
            [head] = purchase.rows("people", id=department.head.id)
            weights = [side.weight for side in facts.case.sides]
            of_lots = [split(lot.price, weights)[number] for lot in facts.case.offer.lots]
            assert head["delegate_types"] == [PURCHASE]
            covers = all(head["delegate_limit"] >= share for share in of_lots)
            assert covers is (not 3 * HOUR <= away.get(head["id"], 0) <= 5 * HOUR)
    assert set(kinds) == {"present", "days", "today"}


def test_offers_that_do_not_hold_are_cheaper() -> None:
    for purchase in map(drawing, SEEDS[::2]):
        offers = purchase.rows("documents", kind="offer")
        units = {row["status"]: re.findall(r"\| ([\d,.]+) EUR", row["body"]) for row in offers}
        prices = {status: float(found[0].replace(",", "")) for status, found in units.items()}

        assert prices["withdrawn"] < prices["superseded"] < prices["in_force"]


def test_heads_propose_something_else_before_they_agree_and_hearsay_comes_last() -> None:
    for purchase in map(drawing, SEEDS[::2]):
        heads = [one.head.id for one in purchase.facts.departments]
        mails = [row for row in purchase.rows("messages") if row["subject"].startswith("Split of")]
        mails.sort(key=lambda row: row["sent_at"])
        percents = [
            int(re.findall(r"(\d+) percent", row["body"])[0]) for row in mails if row["sender"] in heads
        ]

        assert len({*percents}) == 3
        assert percents[2] == percents[3]
        assert purchase.facts.case.basis != AGREED or percents[3] == purchase.facts.case.sides[0].weight
        assert mails[-1]["sender"] not in heads


def test_most_needs_are_corrected_a_day_later_in_quantity_and_day() -> None:
    gaps = Counter[int]()
    for purchase in map(drawing, SEEDS):
        mails = [row for row in purchase.rows("messages") if row["subject"].startswith("What we need:")]
        for side, one in zip(purchase.facts.case.sides, purchase.facts.departments, strict=True):
            told = [row for row in mails if f"at {one.name}" in row["body"]]
            told.sort(key=lambda row: row["sent_at"])
            gaps[told[-1]["sent_at"] - told[0]["sent_at"]] += 1
            for wrong in told[:-1]:
                assert f"least is {side.least}" not in wrong["body"]
                assert f"by {side.by}" not in wrong["body"]

    assert set(gaps) == {0, DAY}
    assert gaps[DAY] > gaps[0]


@pytest.mark.parametrize(
    ("start", "first", "end"),
    [
        ("2031-01-01T00:00:00Z", "2031-01-01", "2031-04-01"),
        ("2031-03-31T23:59:59Z", "2031-01-01", "2031-04-01"),
        ("2031-12-31T23:59:59Z", "2031-10-01", "2032-01-01"),
    ],
)
def test_a_quarter_has_three_calendar_months_and_the_last_one_ends_with_the_year(
    start: str, first: str, end: str
) -> None:
    company = Company(Draws("pack", start), from_iso(start), SCENARIO.packs, "small")

    assert quarter_of(company) == (from_iso(f"{first}T00:00:00Z"), from_iso(f"{end}T00:00:00Z"))
