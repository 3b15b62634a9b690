"""The pack of joint purchases: departments, budgets, metrics, items, offers, and past orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.company import (
    Cast,
    Company,
    NewId,
    Office,
    Pack,
    Person,
    Row,
    new_name,
    somebody,
    unused_name,
)
from companyos.sdk.company.areas.purchasing import let_pay, order_in_the_past
from companyos.sdk.company.areas.spending import LEDGER, add_budget
from companyos.sdk.simtime import DAY, HOUR, from_iso, to_iso

from . import words
from .terms import HEAD_COUNT, USAGE

DEPARTMENT, ITEM = "department", "item"
LEAD: Final = "purchasing_lead"
HEAD: Final = "department_head"
PERSONA_ROLE, TEAM = "buyer", "Purchasing"
QUARTER_S: Final = 91 * DAY
REFRESH_S: Final = 900
#: The metrics that may be the basis of a split.
METRICS: Final = {HEAD_COUNT: ("head_count", "people"), USAGE: ("monthly_usage_hours", "hours")}

#: Metrics with these values do not become stale during an episode.
_LASTING: Final[Mapping[str, int]] = {"age_s": 5 * HOUR, "ttl_s": 60 * DAY}
_RESERVE: Final = 20_000.0


@dataclass(frozen=True)
class Money:
    """The budgets of a department: the ledger before and after a refresh, and what is left of the others.

    Attributes:
        reserve: What is left of its reserve; None if it has none.
    """

    limit: float
    shown: float
    refreshed: float
    following: float
    reserve: float | None


@dataclass(frozen=True)
class Department:
    """A department with its rows."""

    record: Row
    head: Person
    current: Row
    following: Row
    reserve: Row | None
    ledger: Row
    metrics: Mapping[str, Row]

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.record["name"])

    @property
    def budgets(self) -> list[Row]:
        """Its budgets of this and the next quarter, and its reserve, if any."""
        return [self.current, self.following, *([self.reserve] if self.reserve else [])]


def add_department(
    company: Company,
    new_id: NewId,
    name: str,
    money: Money,
    counts: Mapping[str, tuple[float, float]],
    keeper: Person,
    quarter: tuple[int, int],
) -> Department:
    """Add a department with its head, its budgets and its metrics.

    Args:
        company: The company.
        new_id: Assigns ids.
        name: Its name.
        money: Its budgets.
        counts: Its metrics by basis, before and after a refresh.
        keeper: The owner of its reserve.
        quarter: The current quarter.
    """
    head = company.hire(new_name(company, f"head.{name}"), HEAD, name)
    centre, reserve_centre = new_id("CC"), new_id("CC")
    fields = {"head": head.id, "cost_centre": centre}
    fields["reserve"] = reserve_centre if money.reserve is not None else "none"
    record = company.add_record(new_id("DEP"), DEPARTMENT, name, fields, "active")
    purse = _Purse(company, new_id, name)
    current, following = purse.of_quarters(head, centre, money, quarter)
    reserve = None if money.reserve is None else purse.reserve(keeper, reserve_centre, money.reserve)
    metrics = {basis: _metric(company, new_id, record, basis, counts[basis]) for basis in METRICS}
    return Department(record, head, current, following, reserve, _ledger(company, current), metrics)


class _Purse:
    """The budgets of one department under construction."""

    def __init__(self, company: Company, new_id: NewId, name: str) -> None:
        self._company = company
        self._new_id = new_id
        self._name = name

    def of_quarters(
        self, head: Person, centre: str, money: Money, quarter: tuple[int, int]
    ) -> tuple[Row, Row]:
        """Add the budgets of the last, this and the next quarter, and return the latter two."""
        limit, (before, after) = money.limit, _quarters(quarter)
        self._add(head, centre, ", last quarter", limit, committed=limit * 0.96, period=before)
        shown = {"committed": money.shown, "refreshed": money.refreshed}
        current = self._add(head, centre, ", this quarter", limit, **shown, period=quarter, age_s=3 * DAY)
        spent = round(limit - money.following, 2)
        following = self._add(
            head, centre, ", next quarter", limit, committed=spent, period=after, **_LASTING
        )
        return current, following

    def reserve(self, keeper: Person, centre: str, left: float) -> Row:
        """Add the budget of the reserve."""
        return self._add(keeper, centre, ", reserve", _RESERVE, committed=_RESERVE - left, **_LASTING)

    def _add(self, owner: Person, centre: str, purpose: str, limit: float, **terms: Any) -> Row:
        row = add_budget(
            self._company,
            centre,
            f"{self._name}{purpose}",
            owner,
            limit,
            new_id=self._new_id,
            refresh_s=REFRESH_S,
            **terms,
        )
        return let_pay(self._company, row)


def add_item(company: Company, new_id: NewId, category: str, key: str) -> Row:
    """Add an item that can be bought."""
    item_id = new_id("IT")
    name = company.draws.choice("thing", words.THINGS[category], key)
    letter, make = (
        company.draws.choice("model", "ABCDEFGHKLMNPRSTVWXZ", key),
        company.draws.integer("make", 10, 99, key),
    )
    name = unused_name(company, f"{name} {letter}{make}", item_id)
    return company.add_record(item_id, ITEM, name, {"category": category}, "active")


def add_offer(
    company: Company,
    item: Row,
    supplier: str,
    lots: Sequence[tuple[int, float]],
    delivery: float,
    until: str,
    author: Person,
    *,
    age_s: int,
    status: str = "in_force",
    supersedes: str | None = None,
) -> Row:
    """Add a supplier's offer to the library: quantities with unit prices, and delivery."""
    body = words.OFFER.write(
        supplier=supplier,
        employer=company.draws.choice("employer", company.content.workplace.employers),
        item=item["name"],
        item_id=item["id"],
        lots=[{"quantity": quantity, "unit": unit} for quantity, unit in lots],
        delivery=delivery,
        until=until,
    )
    title = f"Offer of {supplier}: {item['name']}"
    return company.add_document(
        "offer",
        title,
        words.DEPARTMENT,
        author,
        body,
        age_s=age_s,
        status=status,
        supersedes=supersedes,
        links=[item["id"]],
    )


def some_department(company: Company, number: int) -> str:
    """Return the name of a department that the company does not have yet."""
    draws = company.draws
    name = f"{draws.choice('dep', words.DEPARTMENTS, number)} {draws.choice('site', words.SITES, number)}"
    return unused_name(company, name, f"{number}")


def _past_order(company: Company, cast: Cast, number: int) -> None:
    """Write a department, an item with an offer, and an order of the department."""
    draws, day = company.draws, company.start // DAY * DAY
    quarter = quarter_of(company)
    limit = 1000.0 * draws.integer("past.limit", 18, 48, number)
    shown = round(limit * draws.integer("past.shown", 30, 70, number) / 100, 2)
    money = Money(
        limit,
        shown,
        round(limit * draws.integer("past.fresh", 30, 90, number) / 100, 2),
        round(limit * draws.integer("past.next", 30, 80, number) / 100, 2),
        100.0 * draws.integer("past.reserve", 20, 90, number)
        if draws.chance("past.kept", 0.5, number)
        else None,
    )
    counts = {
        basis: (
            float(draws.integer("past.count", 12, 60, basis, number)),
            float(draws.integer("past.recount", 12, 60, basis, number)),
        )
        for basis in METRICS
    }
    name = some_department(company, number)
    keeper = somebody(company, "past.keeper", number)
    made = add_department(company, company.numbers.next, name, money, counts, keeper, quarter)
    category = draws.choice("past.category", words.CATEGORIES, number)
    item = add_item(company, company.numbers.next, category, f"past.{number}")
    quantity, unit = (
        draws.integer("past.quantity", 5, 30, number),
        float(draws.integer("past.unit", 20, 90, number)),
    )
    supplier = draws.choice("past.supplier", words.SUPPLIERS, number)
    until = to_iso(day + draws.integer("past.until", 1, 60, number) * DAY)[:10]
    add_offer(company, item, supplier, [(quantity, unit)], 90.0, until, cast.offices[LEAD], age_s=30 * DAY)
    age = draws.integer("past.age", 4, 25, number) * DAY
    order_in_the_past(company, made.current, made.head, item["name"], quantity, quantity * unit, age_s=age)


def quarter_of(company: Company) -> tuple[int, int]:
    """Return the calendar quarter in which an episode starts, from its first instant to its last."""
    year, month = int(to_iso(company.start)[:4]), int(to_iso(company.start)[5:7])
    first = (month - 1) // 3 * 3 + 1
    return _first_of(year, first), _first_of(year + first // 10, (first + 2) % 12 + 1)


def _quarters(quarter: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the quarters before and after one, to the nearest day."""
    starts_at, ends_at = quarter
    return (starts_at - QUARTER_S, starts_at), (ends_at, ends_at + QUARTER_S)


def _metric(company: Company, new_id: NewId, record: Row, basis: str, counts: tuple[float, float]) -> Row:
    (name, unit), (shown, fresh) = METRICS[basis], counts
    return company.add_metric(
        name,
        record["id"],
        shown,
        unit,
        metric_id=new_id("MET"),
        age_s=9 * DAY,
        ttl_s=DAY,
        refresh_s=REFRESH_S,
        values=[fresh],
    )


def _ledger(company: Company, budget: Row) -> Row:
    """Return the recently added metric of a budget's ledger."""
    metrics = reversed(company.rows["datahub"]["metrics"])
    return next(row for row in metrics if row["subject"] == budget["id"] and row["name"] == LEDGER)


def _first_of(year: int, month: int) -> int:
    return from_iso(f"{year}-{month:02}-01T00:00:00Z")


PACK: Final = Pack(
    name="purchasing_office",
    record_kinds=(DEPARTMENT, ITEM),
    offices=(Office(LEAD, words.DEPARTMENT, deputy="operations_lead"),),
    teams=((TEAM, PERSONA_ROLE),),
    stories=(_past_order, _past_order),
)
