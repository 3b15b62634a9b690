"""The chassis' own world tables: counters, outcomes, due events and event faults.

They are ordinary world tables, so a fork or a restored snapshot continues exactly as the original would, with the
same next number, stored responses and due events.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import sqlalchemy as sa

from .answers import AnswerPacking
from .tables import WorldRow, world_table


class Counter(WorldRow, Protocol):
    """The last number drawn from a counter."""

    value: int

    def __init__(self, id: str, value: int) -> None: ...  # noqa: A002


class Outcome(WorldRow, Protocol):
    """The outcome of a call, tick or event: `id` is its idempotency key, `digest` identifies the request.

    Attributes:
        status: The HTTP status of the response.
        answer: What a repeated call is told, packed (see `answers`).
    """

    digest: str
    status: int
    answer: bytes

    def __init__(self, id: str, digest: str, status: int, answer: bytes) -> None: ...  # noqa: A002


class DueRow(WorldRow, Protocol):
    """A due event: something to do at a simulated time."""

    at: int
    name: str
    payload: dict[str, Any]

    def __init__(self, id: str, at: int, name: str, payload: dict[str, Any]) -> None: ...  # noqa: A002


class FaultRow(WorldRow, Protocol):
    """A record about event faults: the plan, an incident, or a deferred event (see `deferred`)."""

    kind: str
    body: dict[str, Any]

    def __init__(self, id: str, kind: str, body: dict[str, Any]) -> None: ...  # noqa: A002


class Watcher(Protocol):
    """Sees what every unit of work is about to commit, and may record events because of it."""

    async def watch(self, unit: Any) -> None:
        """Look at a unit of work that is about to commit."""


_NUMBERED = re.compile(r"^(.*?)(\d{1,18})$", re.DOTALL)


def series_counter(table: str, prefix: str) -> str:
    """Return the name of the counter for a table's ids with a prefix."""
    return f"{table}/{prefix}"


def used_numbers(ids: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Return the greatest number of every id series in these tables, by counter name."""
    greatest: dict[str, int] = {}
    for table, used in ids.items():
        for found in filter(None, map(_NUMBERED.match, used)):
            counter = series_counter(table, found[1])
            greatest[counter] = max(greatest.get(counter, 0), int(found[2]))
    return greatest


@dataclass(frozen=True)
class Internals:
    """The chassis' row classes of one service, the schema they are in, and who watches its units of work.

    Attributes:
        answers: How the answers of outcomes are packed.
    """

    schema: str
    counter: type[Counter]
    outcome: type[Outcome]
    due: type[DueRow]
    fault: type[FaultRow]
    answers: AnswerPacking
    watcher: Watcher | None = None


def declare_internals(metadata: sa.MetaData) -> Internals:
    """Add the chassis' world tables to a service's metadata."""

    @world_table(metadata, "world_counters", internal=True)
    class CounterRow:
        id: str
        value: int

    @world_table(metadata, "world_outcomes", internal=True)
    class OutcomeRow:
        id: str
        digest: str
        status: int
        answer: bytes

    @world_table(metadata, "world_due", internal=True, indexes=[("at",)])
    class DueTableRow:
        id: str
        at: int
        name: str
        payload: dict[str, Any]

    @world_table(metadata, "world_faults", internal=True)
    class FaultTableRow:
        id: str
        kind: str
        body: dict[str, Any]

    return Internals(
        schema=str(metadata.schema),
        counter=CounterRow,
        outcome=OutcomeRow,
        due=DueTableRow,
        fault=FaultTableRow,
        answers=AnswerPacking(metadata),
    )
