"""Mentions: finds the live rows of several tables whose texts contain given names, and masks the names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import sqlalchemy as sa

from .pages import ListPage
from .statements import PagedQuery, live
from .tables import WorldRow
from .work import UnitOfWork

MASK: Final = "[redacted]"


@dataclass(frozen=True)
class Mentioning:
    """A row class, and the columns whose texts may name people."""

    row: type[WorldRow]
    columns: tuple[str, ...]


async def find_mentions(
    unit: UnitOfWork, tables: Sequence[Mentioning], names: Sequence[str], *, after: str | None, limit: int
) -> ListPage[WorldRow]:
    """Return a page of the rows that contain any of the names as whole words, ignoring case, ordered by key.

    Args:
        unit: The unit of work whose world is searched.
        tables: The tables to search. No key may occur in two of them.
        names: The names to find.
        after: Key of the last row of the previous page.
        limit: Maximum number of rows.

    Raises:
        CursorUnknown: None of the tables has ever had a row with the key `after`.
    """
    patterns = [f"(?<![[:alnum:]]){re.escape(name)}(?![[:alnum:]])" for name in names]
    among = [table.row for table in tables]
    pages = [
        await unit.find_page(_naming(table), among, after=after, limit=limit, patterns=patterns)
        for table in tables
    ]
    found = sorted((row for page in pages for row in page.items), key=lambda row: row.id)
    return ListPage(found[:limit], sum(page.total for page in pages))


def mentioned(row: WorldRow, columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the names that occur in these columns of a row."""
    texts = [text for column in columns for text in _texts(getattr(row, column))]
    return [name for name in names if any(_any_of([name]).search(text) for text in texts)]


def mask(row: WorldRow, columns: Sequence[str], names: Sequence[str]) -> bool:
    """Replace every name in these columns of a row with `[redacted]`; return whether one was found."""
    if not mentioned(row, columns, names):
        return False
    for column in columns:
        setattr(row, column, masked(getattr(row, column), names))
    return True


def masked(value: Any, names: Sequence[str]) -> Any:
    """Return a JSON value with every name in its strings replaced by `[redacted]`; object keys stay."""
    if isinstance(value, str):
        return _any_of(names).sub(MASK, value)
    if isinstance(value, Mapping):
        return {key: masked(one, names) for key, one in value.items()}
    return [masked(one, names) for one in value] if isinstance(value, list) else value


@cache
def _naming(table: Mentioning) -> PagedQuery[WorldRow]:
    rows = live(table.row)
    texts = sa.func.concat_ws(" ", *(sa.cast(rows.c[column], sa.Text) for column in table.columns))
    patterns = sa.bindparam("patterns", type_=sa.ARRAY(sa.Text))
    # In Python's string order, because Python merges the pages of the tables.
    key = sa.collate(rows.c.id, "C")
    matching = sa.select(rows).where(texts.bool_op("~*")(sa.any_(patterns)))
    return PagedQuery(matching, table.row, after=key > sa.bindparam("after", type_=sa.Text), order=[key])


def _any_of(names: Sequence[str]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, longest_first))})(?![^\W_])", re.IGNORECASE)


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return [value] if isinstance(value, str) else []
