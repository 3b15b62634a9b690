"""The books of an entity under construction: its periods, and its metrics with what they are computed from.

The same functions write the books of a task and those of the background.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Final

from companyos.sdk.company import Company, NewId, Person, Row, cost_centre
from companyos.sdk.company.areas.periods import add_period, add_period_line, recompute_from
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, MINUTE, from_iso

ENTITY: Final = "legal_entity"
CLASSES: Final = ("major", "minor")
#: Entities with similar names.
ENTITIES: Final = (
    ("Norrland Tools", "Norrland Tools Trading"),
    ("Halden Paper", "Halden Packaging"),
    ("Corvina Foods", "Corvina Foods Export"),
    ("Tessel Optics", "Tessel Lenses"),
    ("Marram Shipping", "Marram Ship Supply"),
    ("Ostrava Steel", "Ostrava Steel Service"),
    ("Bellis Garden", "Bellis Greenhouse"),
    ("Quarto Print", "Quarto Print Media"),
)
#: The metrics that are lines of the books, with the statement that each belongs to.
LINES: Final = (
    ("trade_receivables", "balance"),
    ("accrued_expenses", "balance"),
    ("deferred_revenue", "balance"),
    ("inventory_value", "balance"),
    ("cash_in_transit", "balance"),
    ("warranty_provision", "balance"),
    ("intercompany_balance", "balance"),
    ("rebate_accrual", "balance"),
    ("freight_cost", "result"),
    ("royalty_income", "result"),
    ("transfer_margin", "result"),
    ("payroll_cost", "result"),
    ("scrap_cost", "result"),
    ("service_revenue", "result"),
)
QUARTERS: Final = (
    ("Q4 2030", "2030-10-01", "2031-01-01"),
    ("Q1 2031", "2031-01-01", "2031-04-01"),
    ("Q2 2031", "2031-04-01", "2031-07-01"),
    ("Q3 2031", "2031-07-01", "2031-10-01"),
    ("Q4 2031", "2031-10-01", "2032-01-01"),
    ("Q1 2032", "2032-01-01", "2032-04-01"),
)
#: Values stay fresh throughout a close that starts with fresh values; older values have to be refreshed.
TTL_S: Final = 4 * DAY
#: The share of a line's value that comes from each of its sources.
_SHARE: Final = 0.2


@dataclass(frozen=True, kw_only=True)
class Figure:
    """What a metric measures: a line of the books, or a feed that a line is computed from.

    Attributes:
        category: The statement that a line belongs to; None for a feed.
        final: Its value once everything is refreshed in order.
        shown: Its value at the start.
        age_s: The age of the value at the start.
        sources: Names of the figures that it is computed from.
        variance: The difference of a line's final value from its reference.
    """

    name: str
    category: str | None
    unit: str = "EUR"
    final: float
    shown: float
    age_s: int
    sources: tuple[str, ...] = ()
    variance: float = 0.0

    @property
    def reference(self) -> float:
        """The value that a line is reconciled with."""
        return round(self.final - self.variance, 2)


@dataclass
class Books:
    """An entity with one period and its lines.

    Attributes:
        prior: The period before.
        metrics: The metrics of lines and feeds, by name.
        owners: The owner of each line, by name.
    """

    entity: Row
    prior: Row
    period: Row
    metrics: dict[str, Row] = field(default_factory=dict)
    owners: Mapping[str, Person] = field(default_factory=dict)


def last_quarter(start: int) -> int:
    """Return the number of the last quarter that ended before a time."""
    return max(number for number, (_, _, ends) in enumerate(QUARTERS) if from_iso(ends) < start)


def open_books(
    company: Company, name: str, size_class: str, controller: Person, new_id: NewId, status: str = "open"
) -> Books:
    """Add an entity with its last two quarters, the earlier one locked."""
    record_id, quarter = new_id("LE"), last_quarter(company.start)
    fields = {
        "size_class": size_class,
        "cost_centre": cost_centre(company, int(record_id.rpartition("-")[2])),
        "currency": "EUR",
    }
    entity = company.add_record(record_id, ENTITY, name, fields, "active")
    prior = new_period(company, entity, quarter - 1, new_id, status="locked", locked_by=controller)
    period = new_period(company, entity, quarter, new_id, status=status, locked_by=controller)
    return Books(entity, prior, period)


def new_period(
    company: Company, entity: Row, quarter: int, new_id: NewId, *, status: str, locked_by: Person
) -> Row:
    """Add an entity's period for a quarter; unless it is open, it was locked twelve days after its end."""
    name, starts, ends = QUARTERS[quarter]
    locked_at = min(from_iso(ends) + 12 * DAY, company.start - 2 * DAY)
    return add_period(
        company,
        new_id("PER"),
        entity,
        name,
        starts_at=from_iso(starts),
        ends_at=from_iso(ends),
        status=status,
        locked_by=None if status == "open" else locked_by,
        locked_at=None if status == "open" else locked_at,
    )


def write_figures(
    company: Company,
    books: Books,
    figures: Sequence[Figure],
    ids: Mapping[str, str],
    owners: Mapping[str, Person],
) -> None:
    """Add the metrics of figures, feeds first, and the lines of the period.

    Args:
        company: The company.
        books: The books to which they are added.
        figures: The lines and their feeds.
        ids: The metric id of each figure, by name.
        owners: The owner of each line.
    """
    books.owners = owners
    finals = {one.name: one.final for one in figures}
    for figure in figures:
        books.metrics[figure.name] = _add_metric(company, books.entity, figure, ids[figure.name])
    for line in (one for one in figures if one.category is not None):
        metric = books.metrics[line.name]
        add_period_line(
            company,
            books.period,
            metric,
            category=str(line.category),
            owner=owners[line.name],
            reference=line.reference,
            locked_value=line.shown if books.period["status"] == "locked" else None,
        )
        # A refresh returns the final value if it comes after the refreshes of the sources.
        shares = {one: round(_SHARE * line.final / finals[one], 6) for one in line.sources}
        own = line.final - fsum(share * finals[one] for one, share in shares.items())
        recompute_from(company, metric, round(own, 6), {ids[one]: share for one, share in shares.items()})


def _add_metric(company: Company, entity: Row, figure: Figure, metric_id: str) -> Row:
    is_feed = figure.category is None
    minutes = 20 if is_feed else 5 * company.draws.integer("line.refresh", 2, 6, metric_id)
    return company.add_metric(
        figure.name,
        entity["id"],
        figure.shown,
        figure.unit,
        age_s=figure.age_s,
        ttl_s=TTL_S,
        refresh_s=minutes * MINUTE,
        values=[figure.final] if is_feed else [],
        metric_id=metric_id,
    )


def draw_settled_lines(draws: Draws, names: Sequence[tuple[str, str]], key: str) -> list[Figure]:
    """Draw lines that need no work: all current, and close to their references."""
    lines: list[Figure] = []
    for number, (name, category) in enumerate(names):
        value = draws.integer("line.value", 400_000_00, 9_000_000_00, key, name) / 100
        above, width = [one.name for one in lines], draws.integer("line.width", 0, 2, key, name)
        off = draws.integer("line.off", -30, 30, key, name) / 10_000
        lines.append(
            Figure(
                name=name,
                category=category,
                sources=tuple(draws.sample("line.parents", above, width, key, name)),
                final=value,
                shown=value,
                variance=round(value * off, 2),
                age_s=(30 - number) * HOUR // 2,
            )
        )
    return lines
