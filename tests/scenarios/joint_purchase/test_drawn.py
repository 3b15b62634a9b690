"""Drawn purchases: what is left of the budgets during the day, who can sign, and the documents that mislead."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from companyos.sdk.company import Cast, Company
from companyos.sdk.company.areas.purchasing import PURCHASE
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, MINUTE
from scenarios.joint_purchase.case import AT_REFRESH
from scenarios.joint_purchase.facts import Facts
from scenarios.joint_purchase.pack import CURRENT
from scenarios.joint_purchase.scenario import SCENARIO
from scenarios.joint_purchase.terms import AGREED, split
from tests.scenarios.conftest import SALT

SEEDS = range(16)
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


@cache
def drawing(seed: int) -> Drawing:
    company, cast = SCENARIO.open_company(Draws(SALT, SCENARIO.name, SCENARIO.version, seed // 2), "small")
    return Drawing(company, cast, SCENARIO.place(company, cast, seed))


def test_budgets_have_left_as_much_as_the_case_says_at_each_time_of_the_day() -> None:
    """More than enough seems to be left before a refresh; then, or after the colleague's order, it may be short."""
    for purchase in map(drawing, SEEDS):
        facts, deal = purchase.facts, purchase.facts.case
        [planned] = purchase.rows("planned_orders", "approvalflow")
        for number, (one, share) in enumerate(zip(facts.departments, deal.shares, strict=True)):
            budget = one.budgets[CURRENT]
            [past] = purchase.rows("commitments", budget_id=budget["id"])
            ordered = planned["amount"] if planned["budget_id"] == budget["id"] else 0.0
            shown, left = (
                budget["limit_amount"] - committed - past["amount"]
                for committed in (one.ledger["value"], purchase.fresh(one.ledger["id"]))
            )
            assert shown > deal.sides[number].ample > share
            assert (share > left) == (f"{CURRENT}{number}" in deal.ending(is_early=True).short)
            assert (share > left - ordered) == (budget["id"] in facts.ending.short)
            assert deal.shows == AT_REFRESH or share <= left
        assert 45 * MINUTE <= planned["at"] - purchase.company.start <= 80 * MINUTE


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
            of_lots = [split(price, weights)[number] for price in facts.case.demand.prices.values()]
            assert head["delegate_types"] == [PURCHASE]
            covers = all(head["delegate_limit"] >= share for share in of_lots)
            assert covers is (not 3 * HOUR <= away.get(head["id"], 0) <= 5 * HOUR)
    assert set(kinds) == {"present", "days", "today"}


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
