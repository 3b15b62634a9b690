"""The books of an entity under construction: its periods, and its metrics with what they are computed from.

The same functions write the books of a task and those of the background.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Final

from companyos.company import Company, Person, Row, cost_centre, somebody
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


@dataclass(frozen=True)
class Line:
    """A line of the books and its values.

    Attributes:
        parents: Names of the lines and feeds that it is computed from.
        final: Its value once everything is refreshed in order.
        shown: Its value at the start.
        variance: The difference of the final value from the reference.
        age_s: The age of the value at the start.
        failures: How many refreshes fail before one succeeds.
    """

    name: str
    category: str
    parents: tuple[str, ...]
    final: float
    shown: float
    variance: float
    age_s: int
    failures: int = 0

    @property
    def reference(self) -> float:
        """The value that it is reconciled with."""
        return round(self.final - self.variance, 2)


@dataclass(frozen=True)
class Feed:
    """A source of lines that is not a line itself."""

    name: str
    unit: str
    final: float
    shown: float
    age_s: int


@dataclass
class Books:
    """An entity with one period and its lines.

    Attributes:
        metrics: The metrics of lines and feeds, by name.
        owners: The owner of each line, by name.
    """

    entity: Row
    period: Row
    metrics: dict[str, Row] = field(default_factory=dict)
    owners: dict[str, Person] = field(default_factory=dict)


def last_quarter(start: int) -> int:
    """Return the number of the last quarter that ended before a time."""
    return max(number for number, (_, _, ends) in enumerate(QUARTERS) if from_iso(ends) < start)


def new_entity(company: Company, name: str, size_class: str, new_id: NewId) -> Row:
    """Add the record of an entity."""
    record_id = new_id("LE")
    fields = {
        "size_class": size_class,
        "cost_centre": cost_centre(company, int(record_id.rpartition("-")[2])),
        "currency": "EUR",
    }
    return company.add_record(record_id, ENTITY, name, fields, "active")


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
        books.metrics[feed.name] = _feed_metric(company, books, feed, ids[feed.name])
    for line in lines:
        books.owners[line.name] = owners[line.name]
        books.metrics[line.name] = metric = _line_metric(company, books, line, ids[line.name])
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


def _feed_metric(company: Company, books: Books, feed: Feed, metric_id: str) -> Row:
    return company.add_metric(
        feed.name,
        books.entity["id"],
        feed.shown,
        feed.unit,
        age_s=feed.age_s,
        ttl_s=TTL_S,
        refresh_s=20 * MINUTE,
        values=[feed.final],
        metric_id=metric_id,
    )


def _line_metric(company: Company, books: Books, line: Line, metric_id: str) -> Row:
    """Add a line's metric; its refresh time is drawn."""
    return company.add_metric(
        line.name,
        books.entity["id"],
        line.shown,
        "EUR",
        age_s=line.age_s,
        ttl_s=TTL_S,
        refresh_s=company.draws.integer("line.refresh", 2, 6, metric_id) * 5 * MINUTE,
        metric_id=metric_id,
    )


def _let_recompute(company: Company, books: Books, line: Line, finals: Mapping[str, float]) -> None:
    """Let a refresh return a line's final value if it comes after the refreshes of its parents."""
    shares = {one: round(_SHARE * line.final / finals[one], 6) for one in line.parents}
    own = line.final - fsum(share * finals[one] for one, share in shares.items())
    metric = books.metrics[line.name]
    by_id = {books.metrics[one]["id"]: share for one, share in shares.items()}
    recompute_from(company, metric, round(own, 6), by_id)
    company.source(metric["id"])["failures"] = list(range(line.failures))


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


def owners_of(company: Company, lines: Sequence[Line], key: str) -> dict[str, Person]:
    """Return a drawn owner for each line."""
    return {
        line.name: somebody(company, f"line.owner.{key}.{line.name}", number)
        for number, line in enumerate(lines)
    }


def ids_for(names: Sequence[str], new_id: NewId) -> dict[str, str]:
    """Return a metric id for each of these names."""
    return {name: new_id("MET") for name in names}
