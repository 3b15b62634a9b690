"""The chassis' own world tables: counters, outcomes, due events and event faults.

They are ordinary world tables, so a fork or a restored snapshot continues exactly as the original would, with
the same next number, stored responses and due events.

An outcome stores its response body and its effects packed together. The body mostly repeats the changed rows,
so the two need little more storage than one. The preset dictionary for packing is derived from the service's
own tables and is part of the schema's stamp.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import orjson
import sqlalchemy as sa

from ..postgres.packing import Packing
from .tables import WorldRow, WorldTable, column_kinds, world_table, world_tables


class Counter(WorldRow, Protocol):
    """The last number drawn from a counter."""

    value: int

    def __init__(self, id: str, value: int) -> None: ...  # noqa: A002


class Outcome(WorldRow, Protocol):
    """The outcome of a call, tick or event: `id` is its idempotency key, `digest` identifies the request.

    Attributes:
        status: The HTTP status of the response.
        answer: What a repeated call returns, packed by `AnswerPacking`.
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
    """Inspects every unit of work before its commit and may record events."""

    async def watch(self, unit: Any) -> None:
        """Inspect a unit of work that is about to commit."""


_NUMBERED = re.compile(r"^(.*?)(\d{1,18})$", re.DOTALL)

#: Typical content of effects and bodies apart from rows; its instant is on a typical first day.
_FRAME = (
    b'"}}],"events":[{"id":"s1.%s.1","name":"."}]}{"changes":[],"events":[]}'
    b'\n{"id":"","at":"2030-03-04T09:00:00Z","version":2}'
)
_TYPICAL = {str: b'""', int: b"5389260", float: b"0.0", bool: b"false", list: b"[]", dict: b"{}"}


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
class Answer:
    """What a repeated call returns.

    Attributes:
        body: The body of the response; None for a tick or an event.
        effects: The effects of the unit of work, as a JSON document.
    """

    body: str | None
    effects: Mapping[str, Any]


class AnswerPacking:
    """Packs the answers of one service, given the metadata of its tables."""

    def __init__(self, metadata: sa.MetaData) -> None:
        self._metadata = metadata

    # Computed at first use, because tables are declared after construction.
    @cached_property
    def _packing(self) -> Packing:
        return Packing(known_text(self._metadata))

    def pack(self, answer: Answer) -> bytes:
        """Return the packed form of an answer."""
        # Compact JSON contains no raw line break, so one separates effects and body.
        body = b"" if answer.body is None else b"\n" + answer.body.encode()
        return self._packing.pack(orjson.dumps(answer.effects) + body)

    def unpack(self, packed: bytes) -> Answer:
        """Return the answer in a packed form, with its body byte for byte."""
        effects, line_break, body = self._packing.unpack(packed).partition(b"\n")
        return Answer(body.decode() if line_break else None, orjson.loads(effects))


def known_text(metadata: sa.MetaData) -> bytes:
    """Return the preset dictionary for a service's answers: a typical row change for each table."""
    rows = b",".join(_typical_change(table) for table in world_tables(metadata) if not table.internal)
    return rows + _FRAME % str(metadata.schema).encode()


def _typical_change(table: WorldTable) -> bytes:
    columns = (
        b'"%s":%s' % (name.encode(), b"null" if nullable else _TYPICAL.get(kind, b'""'))
        for name, (kind, nullable) in column_kinds(table.row).items()
    )
    return b'{"table":"%s","id":"","row":{%s}}' % (table.name.encode(), b",".join(columns))


@dataclass(frozen=True)
class Internals:
    """The chassis' row classes of one service, their schema, and the watcher of its units of work.

    Attributes:
        answers: Packs the answers of outcomes.
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
