"""Full-text search over the live rows of a world, best first.

A table with `searched` columns has a column of their words, which PostgreSQL computes with the English
configuration, regardless of the database's default. Queries are in web search syntax (`search_words.py`), which
PostgreSQL does not parse: its own parser fails on some texts, such as many hyphens in a row.
"""

from functools import cache
from typing import Final

import sqlalchemy as sa

from ..search_words import full_text_query
from .statements import PagedQuery, live_columns
from .tables import SEARCH, Row, described


def _query(name: str) -> sa.ScalarSelect[str]:
    """Return the query bound as `name`: a subquery, so PostgreSQL parses it once per search, not once per row."""
    text = sa.bindparam(name, type_=sa.Text)
    return sa.select(sa.func.to_tsquery(sa.literal_column("'pg_catalog.english'"), text)).scalar_subquery()


#: Ranks ignore other spellings, so rows that match the query as written come first.
_AS_WRITTEN: Final = _query("as_written")
_ANY_SPELLING: Final = _query("any_spelling")


def searched(q: str) -> dict[str, str]:
    """Return the parameters that bind a query in web search syntax.

    Raises:
        QueryEmpty: It has no letter and no digit.
        QueryTooLong: It has too many words.
    """
    as_written, any_spelling = full_text_query(q)
    return {"as_written": as_written, "any_spelling": any_spelling}


@cache
def searching(row: type[Row], equals: frozenset[str] = frozenset()) -> PagedQuery[Row]:
    """Select a page of the live rows that match the query bound by `searched`, best first, then by key.

    The end of the previous page binds as `after`, a key.

    Args:
        row: The row class whose table is searched.
        equals: Columns to filter by, ignoring case; values bind in lower case as `eq_<column>`.
    """
    columns = described(row).columns
    rows = live_columns(row, (*columns, SEARCH))
    conditions: list[sa.ColumnElement[bool]] = [rows.c[SEARCH].bool_op("@@")(_ANY_SPELLING)]
    conditions += [
        sa.func.lower(rows.c[column]) == sa.bindparam(f"eq_{column}", type_=sa.Text)
        for column in sorted(equals)
    ]
    # The offset keeps PostgreSQL from computing each rank twice, once to compare and once to order.
    ranked = sa.select(*(rows.c[column] for column in columns), _place(rows).label("place")).where(
        *conditions
    )
    found = ranked.offset(sa.literal_column("0")).subquery("ranked")
    matching = sa.select(*(found.c[column] for column in columns))
    return PagedQuery(
        matching, row, after=found.c.place > _end_of_the_page_before(row), order=[found.c.place]
    )


def _end_of_the_page_before(row: type[Row]) -> sa.ColumnElement[str]:
    rows = live_columns(row, ("id", SEARCH), removed=True)
    place = sa.select(_place(rows)).where(rows.c.id == sa.bindparam("after", type_=sa.Text))
    return sa.func.coalesce(place.scalar_subquery(), "")


def _place(rows: sa.Subquery) -> sa.ColumnElement[str]:
    """Return a text to sort by: better ranks, which are below 1, come first; equal ranks sort by key."""
    behind = sa.func.to_char(1 - sa.func.ts_rank(rows.c[SEARCH], _AS_WRITTEN), "FM0.000000")
    return sa.collate(sa.func.concat(behind, " ", rows.c.id), "C")
