"""What an outcome keeps for a repeated call: the answer and the effects, packed together.

An answer mostly says again what the changed rows say, so packed together the two take little more room than one. The
text they are packed by is made of the service's own tables, and part of its schema's stamp.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson
import sqlalchemy as sa

from ..postgres.packing import Packing
from .tables import WorldTable, column_kinds, world_tables

#: What most effects say, apart from rows and before the body; instants are of the usual first days.
_FRAME = (
    b'"}}],"events":[{"id":"s1.%s.1","name":"."}]}{"changes":[],"events":[]}'
    b'\n{"id":"","at":"2030-03-04T09:00:00Z","version":2}'
)
_TYPICAL = {str: b'""', int: b"5389260", float: b"0.0", bool: b"false", list: b"[]", dict: b"{}"}


@dataclass(frozen=True)
class Answer:
    """What a repeated call is told.

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

    # Not before the first use: tables are declared after this.
    @cached_property
    def _packing(self) -> Packing:
        return Packing(known_text(self._metadata))

    def pack(self, answer: Answer) -> bytes:
        """Return the packed form of an answer."""
        # JSON has no line break outside of its strings, where it is escaped.
        body = b"" if answer.body is None else b"\n" + answer.body.encode()
        return self._packing.pack(orjson.dumps(answer.effects) + body)

    def unpack(self, packed: bytes) -> Answer:
        """Return the answer of a packed form, its body byte for byte."""
        effects, line_break, body = self._packing.unpack(packed).partition(b"\n")
        return Answer(body.decode() if line_break else None, orjson.loads(effects))


def known_text(metadata: sa.MetaData) -> bytes:
    """Return the text by which a service's answers are packed: a change of a row of each table."""
    rows = b",".join(_typical_change(table) for table in world_tables(metadata) if not table.internal)
    return rows + _FRAME % str(metadata.schema).encode()


def _typical_change(table: WorldTable) -> bytes:
    columns = (
        b'"%s":%s' % (name.encode(), b"null" if nullable else _TYPICAL.get(kind, b'""'))
        for name, (kind, nullable) in column_kinds(table.row).items()
    )
    return b'{"table":"%s","id":"","row":{%s}}' % (table.name.encode(), b",".join(columns))
