"""The parts of a report before drawing: sections of prose, charts and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..cards import SuccessRate
from ..pages.formats import percent
from ..runs.intervals import Estimate
from ..runs.metrics import RunMetrics


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Attributes:
        text: The content.
        detail: Smaller text next to it, such as an interval.
        note: A sentence below it.
        link: Where it leads, if anywhere.
    """

    text: str
    detail: str = ""
    note: str = ""
    link: str = ""

    @classmethod
    def of_share(cls, share: Estimate | None) -> "Cell":
        """Return a rate with its interval, or a dash if nothing was counted."""
        if share is None:
            return cls("–")
        return cls(percent(share.value), f"{percent(share.low).removesuffix('%')}–{percent(share.high)}")

    @classmethod
    def of_success(cls, metrics: RunMetrics) -> "Cell":
        """Return the success rate with its interval, and below it the SPL where it is known."""
        return replace(
            cls.of_share(metrics.success), note=_spl_note(metrics.spl.value if metrics.spl else None)
        )

    @classmethod
    def of_reference(cls, rate: SuccessRate | None) -> "Cell":
        """Return the success rate that a card shows, and below it the SPL where the card has it."""
        return cls("–") if rate is None else cls(percent(rate.success), note=_spl_note(rate.spl))


def _spl_note(spl: float | None) -> str:
    return "" if spl is None else f"SPL {percent(spl)}"


#: Plain strings are cells without detail.
TableRow = Sequence[Cell | str]


@dataclass(frozen=True)
class Table:
    """A table; its first columns are text, the others numbers.

    Attributes:
        caption: What it shows, for screen readers.
        columns: Headings.
        rows: Cells by row, as many as columns.
        text_columns: How many columns hold text.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[TableRow]
    text_columns: int = 1


@dataclass(frozen=True)
class Mark:
    """An entry of the legend: a color, a shape and a name.

    Attributes:
        shape: Name of a symbol of Vega.
    """

    label: str
    color: str
    shape: str = "square"


@dataclass(frozen=True)
class Chart:
    """A chart to draw.

    Attributes:
        title: What it shows.
        description: A sentence for screen readers.
        spec: The chart in Vega-Lite.
        heading: Whether it has its own title above it; otherwise the section's title serves.
    """

    title: str
    description: str
    spec: Mapping[str, Any]
    heading: bool = False


@dataclass(frozen=True)
class Section:
    """A part of the report about one question.

    Attributes:
        anchor: Its name in links.
        title: The question's subject.
        lead: The answer in a sentence or two.
        charts: The answer as charts.
        table: The numbers behind the charts.
        note: How to read it.
        key: The meaning of the charts' colors, if not runs.
    """

    anchor: str
    title: str
    lead: str
    table: Table
    charts: Sequence[Chart] = ()
    note: str = ""
    key: Sequence[Mark] | None = None
