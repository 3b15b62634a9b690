"""The books of an entity under construction: its periods, and its metrics with what they are computed from.

The same functions write the books of a task and those of the background.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Final

from companyos.company import Company, Person, Row, cost_centre
from companyos.company.areas.periods import add_period, add_period_line, recompute_from
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, MINUTE, from_iso

from .words import QUARTERS

ENTITY: Final = "legal_entity"
CLASSES: Final = ("major", "minor")
#: Values stay fresh throughout a close that starts with fresh values; older values have to be refreshed.
TTL_S: Final = 4 * DAY
#: The share of a line's value that comes from each of its sources.
_SHARE: Final = 0.2

#: Assigns an id to an object of a series: `company.numbers.reserve` or `company.numbers.next`.
NewId = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """What a metric measures.

    Attributes:
        final: Its value once everything is refreshed in order.
        shown: Its value at the start.
        age_s: The age of the value at the start.
    """

    name: str
    unit: str = "EUR"
    final: float
    shown: float
    age_s: int

    @property
    def is_outdated(self) -> bool:
        """Whether it shows another value than its final one."""
        return self.shown != self.final


@dataclass(frozen=True, kw_only=True)
class Line(Figure):
    """A line of the books.

    Attributes:
        parents: Names of the lines and feeds that it is computed from.
        variance: The difference of the final value from the reference.
    """

    category: str
    parents: tuple[str, ...]
    variance: float

    @property
    def reference(self) -> float:
        """The value that it is reconciled with."""
        return round(self.final - self.variance, 2)


class Feed(Figure):
    """A source of lines that is not a line itself."""


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
    owners: dict[str, Person] = field(default_factory=dict)


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
    was_locked = status != "open"
    return add_period(
        company,
        new_id("PER"),
        entity,
        name,
        starts_at=from_iso(starts),
        ends_at=from_iso(ends),
        status=status,
        locked_by=locked_by if was_locked else None,
        locked_at=min(from_iso(ends) + 12 * DAY, company.start - 2 * DAY) if was_locked else None,
    )


def write_lines(
    company: Company,
    books: Books,
    lines: Sequence[Line],
    feeds: Sequence[Feed],
    ids: Mapping[str, str],
    owners: Mapping[str, Person],
) -> None:
    """Add the metrics of feeds and lines, and the lines of the period.

    Args:
        company: The company.
        books: The books to which they are added.
        lines: The lines.
        feeds: The sources of lines besides other lines.
        ids: The metric id of each line and feed, by name.
        owners: The owner of each line.
    """
    for feed in feeds:
        _add_metric(company, books, feed, ids[feed.name], refresh_s=20 * MINUTE, values=[feed.final])
    for line in lines:
        books.owners[line.name] = owners[line.name]
        refresh_s = company.draws.integer("line.refresh", 2, 6, ids[line.name]) * 5 * MINUTE
        metric = _add_metric(company, books, line, ids[line.name], refresh_s=refresh_s)
        add_period_line(
            company,
            books.period,
            metric,
            category=line.category,
            owner=owners[line.name],
            reference=line.reference,
            locked_value=line.shown if books.period["status"] == "locked" else None,
        )
    finals = {line.name: line.final for line in lines} | {feed.name: feed.final for feed in feeds}
    for line in lines:
        _let_recompute(company, books, line, finals)


def _add_metric(
    company: Company,
    books: Books,
    figure: Figure,
    metric_id: str,
    *,
    refresh_s: int,
    values: Sequence[float] = (),
) -> Row:
    metric = company.add_metric(
        figure.name,
        books.entity["id"],
        figure.shown,
        figure.unit,
        age_s=figure.age_s,
        ttl_s=TTL_S,
        refresh_s=refresh_s,
        values=values,
        metric_id=metric_id,
    )
    books.metrics[figure.name] = metric
    return metric


def _let_recompute(company: Company, books: Books, line: Line, finals: Mapping[str, float]) -> None:
    """Let a refresh return a line's final value if it comes after the refreshes of its parents."""
    shares = {one: round(_SHARE * line.final / finals[one], 6) for one in line.parents}
    own = line.final - fsum(share * finals[one] for one, share in shares.items())
    by_id = {books.metrics[one]["id"]: share for one, share in shares.items()}
    recompute_from(company, books.metrics[line.name], round(own, 6), by_id)


def other_lines(draws: Draws, names: Sequence[tuple[str, str]], key: str) -> list[Line]:
    """Return drawn lines of background books: all current, and close to their references."""
    lines: list[Line] = []
    for number, (name, category) in enumerate(names):
        value = draws.integer("line.value", 400_000_00, 9_000_000_00, key, name) / 100
        above = [one.name for one in lines]
        parents = draws.sample("line.parents", above, draws.integer("line.width", 0, 2, key, name), key, name)
        off = draws.integer("line.off", -30, 30, key, name) / 10_000
        lines.append(
            Line(
                name=name,
                category=category,
                parents=tuple(parents),
                final=value,
                shown=value,
                variance=round(value * off, 2),
                age_s=(30 - number) * HOUR // 2,
            )
        )
    return lines
