"""The books of legal entities: their quarters, and lines whose metrics are computed from one another.

The same functions write the books of a task and those of the background.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final

from companyos.sdk.company import Company, NewId, Person, Row, cost_centre, words
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
_BALANCE: Final = words(
    "trade_receivables accrued_expenses deferred_revenue inventory_value cash_in_transit warranty_provision "
    "intercompany_balance rebate_accrual"
)
_RESULT: Final = words("freight_cost royalty_income transfer_margin payroll_cost scrap_cost service_revenue")
#: The statement that each line belongs to.
LINES: Final = {**dict.fromkeys(_BALANCE, "balance"), **dict.fromkeys(_RESULT, "result")}
#: Each quarter's name, first day and end.
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
    """A metric of an entity: a line of its books, or a feed that a line is computed from.

    Attributes:
        final: Its value once everything is refreshed in order.
        shown: Its value at the start.
        age_s: The age of the value at the start.
        sources: Ids of the figures that it is computed from.
    """

    id: str
    name: str
    unit: str = "EUR"
    final: float
    shown: float
    age_s: int
    sources: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Line(Figure):
    """A line of the books.

    Attributes:
        reference: The value that it is reconciled with.
        outcome: What becomes of its variance, if that is beyond the tolerance.
        memo: The part of the variance that the controller's memo in force explains.
        older: The part that the memo's previous edition explains, if there is one.
        answer: The part that the owner explains when asked.
        left: The part that remains unexplained.
    """

    owner: Person
    reference: float
    outcome: str | None = None
    memo: float = 0.0
    older: float = 0.0
    answer: float = 0.0
    left: float = 0.0

    @property
    def claimed(self) -> float:
        """The amount that somebody claims to explain: everything that no memo explains."""
        return round(self.left + self.answer, 2)


@dataclass(frozen=True)
class Books:
    """An entity with one period, the period before, and the figures of the period."""

    entity: Row
    prior: Row
    period: Row
    figures: Sequence[Figure]

    @property
    def lines(self) -> list[Line]:
        """The lines of the period."""
        return [one for one in self.figures if isinstance(one, Line)]

    @property
    def lines_by_name(self) -> list[Line]:
        """The lines, ordered by name."""
        return sorted(self.lines, key=lambda one: one.name)


@dataclass(frozen=True)
class Bookkeeper:
    """Writes books into a company; the controller locks the quarters, and `new_id` gives the ids."""

    company: Company
    controller: Person
    new_id: NewId

    def write_books(
        self, entity_id: str, name: str, size_class: str, figures: Sequence[Figure], *quarters: str
    ) -> Books:
        """Write an entity, its quarters from the last but one, each with this status, and the figures of the last."""
        number, ended = int(entity_id.partition("-")[2]), _last_quarter(self.company.start)
        centre = cost_centre(self.company, number)
        fields = {"size_class": size_class, "cost_centre": centre, "currency": "EUR"}
        entity = self.company.add_record(entity_id, ENTITY, name, fields, "active")
        prior, period, *_ = [self._add_quarter(entity, at, one) for at, one in enumerate(quarters, ended - 1)]
        books = Books(entity, prior, period, figures)
        self._write_figures(books)
        return books

    def _add_quarter(self, entity: Row, quarter: int, status: str) -> Row:
        """Add an entity's period; unless it is open, it was locked twelve days after its end."""
        name, starts, ends = QUARTERS[quarter]
        return add_period(
            self.company,
            self.new_id("PER"),
            entity,
            name,
            starts_at=from_iso(starts),
            ends_at=from_iso(ends),
            status=status,
            locked_by=self.controller,
            locked_at=min(from_iso(ends) + 12 * DAY, self.company.start - 2 * DAY),
        )

    def _write_figures(self, books: Books) -> None:
        """Add the metrics of figures, and the lines of the period."""
        finals = {one.id: one.final for one in books.figures}
        metrics = {one.id: self._add_metric(books.entity, one) for one in books.figures}
        for line in books.lines:
            add_period_line(
                self.company,
                books.period,
                metrics[line.id],
                category=LINES[line.name],
                owner=line.owner,
                reference=line.reference,
            )
            # A refresh returns the final value if it comes after the refreshes of the sources.
            shares = {one: round(_SHARE * line.final / finals[one], 6) for one in line.sources}
            own = line.final - fsum(share * finals[one] for one, share in shares.items())
            recompute_from(self.company, metrics[line.id], round(own, 6), shares)

    def _add_metric(self, entity: Row, figure: Figure) -> Row:
        is_line = isinstance(figure, Line)
        minutes = 5 * self.company.draws.integer("line.refresh", 2, 6, figure.id) if is_line else 20
        return self.company.add_metric(
            figure.name,
            entity["id"],
            figure.shown,
            figure.unit,
            age_s=figure.age_s,
            ttl_s=TTL_S,
            refresh_s=minutes * MINUTE,
            values=() if is_line else [figure.final],
            metric_id=figure.id,
        )


def _last_quarter(start: int) -> int:
    """Return the number of the last quarter that ended before a time."""
    return max(number for number, (_, _, ends) in enumerate(QUARTERS) if from_iso(ends) < start)


def draw_settled_lines(
    draws: Draws, names: Iterable[str], ids: Mapping[str, str], owners: Mapping[str, Person]
) -> list[Line]:
    """Draw lines that need no work: all current, and close to their references."""
    lines: list[Line] = []
    for number, name in enumerate(names):
        own, earlier = draws.about(name), [one.id for one in lines]
        value = own.integer("line.value", 40_000_000, 900_000_000) / 100
        variance = round(value * (own.integer("line.off", -30, 30) / 10_000), 2)
        lines.append(
            Line(
                id=ids[name],
                name=name,
                owner=owners[name],
                sources=own.sample("line.parents", earlier, own.integer("line.width", 0, 2)),
                final=value,
                shown=value,
                reference=round(value - variance, 2),
                age_s=(30 - number) * HOUR // 2,
            )
        )
    return lines


def label(name: str) -> str:
    """Return the name of a metric in texts."""
    return name.replace("_", " ")
