"""The pack of joint purchases: departments, budgets, metrics, items, offers, and past orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

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
from companyos.sdk.documents import Fields
from companyos.sdk.simtime import DAY, HOUR, from_iso, to_date

from . import words
from .terms import HEAD_COUNT, USAGE

DEPARTMENT, ITEM = "department", "item"
LEAD: Final = "purchasing_lead"
PERSONA_ROLE, TEAM = "buyer", "Purchasing"
#: The budgets of a department: those of this and the next quarter, and its reserve.
CURRENT, FOLLOWING, RESERVED = "current", "following", "reserve"

_QUARTER_S: Final = 91 * DAY
_REFRESH_S: Final = 900
#: Metrics with these values do not become stale during an episode.
_LASTING: Final[Mapping[str, int]] = {"age_s": 5 * HOUR, "ttl_s": 60 * DAY}
_RESERVE: Final = 20_000.0


class Metric(NamedTuple):
    """A metric that may be the basis of a split, and the most that it counts."""

    name: str
    unit: str
    most: int


METRICS: Final = {
    HEAD_COUNT: Metric("head_count", "people", 60),
    USAGE: Metric("monthly_usage_hours", "hours", 480),
}


@dataclass(frozen=True)
class Department:
    """A department with its rows; its metrics are by basis."""

    name: str
    head: Person
    budgets: Mapping[str, Row]
    ledger: Row
    metrics: Mapping[str, Row]


def add_department(
    company: Company,
    new_id: NewId,
    name: str,
    keeper: Person,
    counts: Mapping[str, Sequence[float]],
    *,
    limit: float,
    ledger: tuple[float, float],
    following: float,
    reserve: float | None,
) -> Department:
    """Add a department with its head, its budgets and its metrics.

    Metrics, by basis, and the ledger have a value before and one after a refresh. Of the next budget and of the
    reserve, which `keeper` owns, this much is left.
    """
    head = company.hire(new_name(company, f"head.{name}"), "department_head", name)
    centre, reserve_centre = new_id("CC"), new_id("CC")
    kept_at = "none" if reserve is None else reserve_centre
    fields = {"head": head.id, "cost_centre": centre, "reserve": kept_at}
    department_id = company.add_record(new_id("DEP"), DEPARTMENT, name, fields, "active")["id"]

    def add(purpose: str, limit: float, committed: float, of: str = centre, **columns: Any) -> Row:
        columns |= {"committed": committed, "refresh_s": _REFRESH_S, "new_id": new_id}
        owner = head if of == centre else keeper
        return let_pay(company, add_budget(company, of, f"{name}, {purpose}", owner, limit, **columns))

    (begins, ends), (shown, refreshed) = quarter_of(company), ledger
    add("last quarter", limit, limit * 0.96, period=(begins - _QUARTER_S, begins))
    this = add("this quarter", limit, shown, period=(begins, ends), refreshed=refreshed, age_s=3 * DAY)
    after: Row = {"period": (ends, ends + _QUARTER_S), **_LASTING}
    budgets = {CURRENT: this, FOLLOWING: add("next quarter", limit, round(limit - following, 2), **after)}
    if reserve is not None:
        budgets[RESERVED] = add("reserve", _RESERVE, _RESERVE - reserve, kept_at, **_LASTING)
    metrics = {
        basis: _add_metric(company, new_id, department_id, metric, *counts[basis])
        for basis, metric in METRICS.items()
    }
    return Department(name, head, budgets, ledger_of(company, this), metrics)


def _add_metric(
    company: Company, new_id: NewId, department_id: str, metric: Metric, shown: float, fresh: float
) -> Row:
    columns: Row = {"metric_id": new_id("MET"), "age_s": 9 * DAY, "ttl_s": DAY, "refresh_s": _REFRESH_S}
    return company.add_metric(metric.name, department_id, shown, metric.unit, values=[fresh], **columns)


def add_item(company: Company, new_id: NewId, category: str, key: str) -> Row:
    """Add an item that can be bought."""
    item_id, draws = new_id("IT"), company.draws.about(key)
    thing = draws.choice("thing", words.THINGS[category])
    model = f"{draws.choice('model', 'ABCDEFGHKLMNPRSTVWXZ')}{draws.integer('make', 10, 99)}"
    name = unused_name(company, f"{thing} {model}", item_id)
    return company.add_record(item_id, ITEM, name, {"category": category}, "active")


def add_offer(
    company: Company, item: Row, supplier: str, offer: Fields, author: Person, **columns: Any
) -> Row:
    """Add a supplier's offer to the library, with its lots, its price of delivery, and its last day."""
    employer = company.draws.choice("employer", company.content.workplace.employers)
    body = words.OFFER.write(
        supplier=supplier, employer=employer, item=item["name"], item_id=item["id"], **offer
    )
    title, links = f"Offer of {supplier}: {item['name']}", [item["id"]]
    return company.add_document("offer", title, words.DEPARTMENT, author, body, links=links, **columns)


def _past_order(company: Company, cast: Cast, number: int) -> None:
    """Write a department, an item with an offer, and an order of the department."""
    draws, new_id = company.draws.about(number), company.numbers.next
    limit = 1000.0 * draws.integer("past.limit", 18, 48)
    shown, fresh, following = (
        round(limit * draws.integer(f"past.{name}", 30, most) / 100, 2)
        for name, most in (("shown", 70), ("fresh", 90), ("next", 80))
    )
    reserve = 100.0 * draws.integer("past.reserve", 20, 90) if draws.chance("past.kept", 0.5) else None
    counts = {
        basis: [
            float(company.draws.integer(name, 12, 60, basis, number))
            for name in ("past.count", "past.recount")
        ]
        for basis in METRICS
    }
    name = f"{draws.choice('dep', words.DEPARTMENTS)} {draws.choice('site', words.SITES)}"
    department = add_department(
        company,
        new_id,
        unused_name(company, name, f"{number}"),
        somebody(company, "past.keeper", number),
        counts,
        limit=limit,
        ledger=(shown, fresh),
        following=following,
        reserve=reserve,
    )
    item = add_item(company, new_id, draws.choice("past.category", words.CATEGORIES), f"past.{number}")
    quantity, unit = draws.integer("past.quantity", 5, 30), float(draws.integer("past.unit", 20, 90))
    supplier, lots = draws.choice("past.supplier", words.SUPPLIERS), [{"quantity": quantity, "unit": unit}]
    until = to_date(company.start + draws.integer("past.until", 1, 60) * DAY)
    offer = {"lots": lots, "delivery": 90.0, "until": until}
    add_offer(company, item, supplier, offer, cast.offices[LEAD], age_s=30 * DAY)
    age_s, budget = draws.integer("past.age", 4, 25) * DAY, department.budgets[CURRENT]
    order_in_the_past(company, budget, department.head, item["name"], quantity, quantity * unit, age_s=age_s)


def quarter_of(company: Company) -> tuple[int, int]:
    """Return the first instants of the calendar quarter in which an episode starts and of the next, in one year."""
    year, month = map(int, to_date(company.start).split("-")[:2])
    first = month - (month - 1) % 3
    return from_iso(f"{year}-{first:02}-01"), from_iso(f"{year}-{first + 3:02}-01")


PACK: Final = Pack(
    name="purchasing_office",
    record_kinds=(DEPARTMENT, ITEM),
    offices=(Office(LEAD, words.DEPARTMENT, deputy="operations_lead"),),
    teams=((TEAM, PERSONA_ROLE),),
    stories=(_past_order, _past_order),
)
