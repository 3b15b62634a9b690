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
from companyos.sdk.company.areas.spending import add_budget, ledger_of
from companyos.sdk.simtime import DAY, HOUR, from_iso, to_date, to_iso

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
    def budgets_by_name(self) -> dict[str, Row]:
        """Its budgets of this and the next quarter, and its reserve, if any."""
        budgets = {"current": self.current, "following": self.following}
        return budgets if self.reserve is None else {**budgets, "reserve": self.reserve}

    @property
    def budgets(self) -> list[Row]:
        """All of these."""
        return [*self.budgets_by_name.values()]


def add_department(
    company: Company,
    new_id: NewId,
    name: str,
    money: Money,
    counts: Mapping[str, tuple[float, float]],
    keeper: Person,
) -> Department:
    """Add a department with its head, its budgets and its metrics.

    Args:
        company: The company.
        new_id: Assigns ids.
        name: Its name.
        money: Its budgets.
        counts: Its metrics by basis, before and after a refresh.
        keeper: The owner of its reserve.
    """
    head = company.hire(new_name(company, f"head.{name}"), HEAD, name)
    centre, reserve_centre = new_id("CC"), new_id("CC")
    kept_at = "none" if money.reserve is None else reserve_centre
    fields = {"head": head.id, "cost_centre": centre, "reserve": kept_at}
    record = company.add_record(new_id("DEP"), DEPARTMENT, name, fields, "active")

    def add(purpose: str, owner: Person, of: str, limit: float, committed: float, **more: Any) -> Row:
        more |= {"committed": committed, "refresh_s": REFRESH_S, "new_id": new_id}
        return let_pay(company, add_budget(company, of, f"{name}, {purpose}", owner, limit, **more))

    limit, this = money.limit, quarter_of(company)
    before, after = (this[0] - QUARTER_S, this[0]), (this[1], this[1] + QUARTER_S)
    add("last quarter", head, centre, limit, limit * 0.96, period=before)
    shown: Row = {"refreshed": money.refreshed, "age_s": 3 * DAY}
    current = add("this quarter", head, centre, limit, money.shown, period=this, **shown)
    spent = round(limit - money.following, 2)
    following = add("next quarter", head, centre, limit, spent, period=after, **_LASTING)
    reserve = None
    if money.reserve is not None:
        reserve = add("reserve", keeper, kept_at, _RESERVE, _RESERVE - money.reserve, **_LASTING)
    metrics = {basis: _metric(company, new_id, record, basis, counts[basis]) for basis in METRICS}
    return Department(record, head, current, following, reserve, ledger_of(company, current), metrics)


def add_item(company: Company, new_id: NewId, category: str, key: str) -> Row:
    """Add an item that can be bought."""
    item_id, draws = new_id("IT"), company.draws
    name = draws.choice("thing", words.THINGS[category], key)
    model = f"{draws.choice('model', 'ABCDEFGHKLMNPRSTVWXZ', key)}{draws.integer('make', 10, 99, key)}"
    name = unused_name(company, f"{name} {model}", item_id)
    return company.add_record(item_id, ITEM, name, {"category": category}, "active")


def add_offer(
    company: Company,
    item: Row,
    supplier: str,
    lots: Sequence[tuple[int, float]],
    delivery: float,
    until: str,
    author: Person,
    **columns: Any,
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
    title, links = f"Offer of {supplier}: {item['name']}", [item["id"]]
    return company.add_document("offer", title, words.DEPARTMENT, author, body, links=links, **columns)


def some_department(company: Company, number: int) -> str:
    """Return the name of a department that the company does not have yet."""
    draws = company.draws
    name = f"{draws.choice('dep', words.DEPARTMENTS, number)} {draws.choice('site', words.SITES, number)}"
    return unused_name(company, name, f"{number}")


def _past_order(company: Company, cast: Cast, number: int) -> None:
    """Write a department, an item with an offer, and an order of the department."""
    draws, new_id = company.draws, company.numbers.next

    def draw_number(name: str, low: int, high: int, *coordinates: str) -> int:
        return draws.integer(f"past.{name}", low, high, *coordinates, number)

    limit = 1000.0 * draw_number("limit", 18, 48)
    shown, fresh, following = (
        round(limit * draw_number(name, 30, most) / 100, 2)
        for name, most in (("shown", 70), ("fresh", 90), ("next", 80))
    )
    reserve = 100.0 * draw_number("reserve", 20, 90) if draws.chance("past.kept", 0.5, number) else None
    money = Money(limit, shown, fresh, following, reserve)
    counts = {
        basis: (float(draw_number("count", 12, 60, basis)), float(draw_number("recount", 12, 60, basis)))
        for basis in METRICS
    }
    name, keeper = some_department(company, number), somebody(company, "past.keeper", number)
    made = add_department(company, new_id, name, money, counts, keeper)
    category = draws.choice("past.category", words.CATEGORIES, number)
    item = add_item(company, new_id, category, f"past.{number}")
    quantity, unit = draw_number("quantity", 5, 30), float(draw_number("unit", 20, 90))
    supplier = draws.choice("past.supplier", words.SUPPLIERS, number)
    until = to_date(company.start // DAY * DAY + draw_number("until", 1, 60) * DAY)
    add_offer(company, item, supplier, [(quantity, unit)], 90.0, until, cast.offices[LEAD], age_s=30 * DAY)
    age, price = draw_number("age", 4, 25) * DAY, quantity * unit
    order_in_the_past(company, made.current, made.head, item["name"], quantity, price, age_s=age)


def quarter_of(company: Company) -> tuple[int, int]:
    """Return the calendar quarter in which an episode starts, from its first instant to its last."""
    year, month = int(to_iso(company.start)[:4]), int(to_iso(company.start)[5:7])
    first = (month - 1) // 3 * 3 + 1
    return _first_of(year, first), _first_of(year + first // 10, (first + 2) % 12 + 1)


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


def _first_of(year: int, month: int) -> int:
    return from_iso(f"{year}-{month:02}-01T00:00:00Z")


PACK: Final = Pack(
    name="purchasing_office",
    record_kinds=(DEPARTMENT, ITEM),
    offices=(Office(LEAD, words.DEPARTMENT, deputy="operations_lead"),),
    teams=((TEAM, PERSONA_ROLE),),
    stories=(_past_order, _past_order),
)
