"""Full-text search over the live rows of a world, best first.

A table with `searched` columns has a column of their words, which PostgreSQL computes with the English
configuration, regardless of the database's default. A query uses web search syntax: every word must occur,
`or` separates alternatives, quotes mark a phrase, and a minus excludes a word.
"""

from functools import cache
from typing import Final

import sqlalchemy as sa

from .statements import PagedQuery, live_columns
from .tables import SEARCH, Row, described

#: A subquery, so PostgreSQL parses it once per search and not once per row.
_ASKED: Final = sa.select(
    sa.func.websearch_to_tsquery(sa.literal_column("'pg_catalog.english'"), sa.bindparam("q", type_=sa.Text))
).scalar_subquery()


@cache
def searching(row: type[Row], equals: frozenset[str] = frozenset()) -> PagedQuery[Row]:
    """Select a page of the live rows that match the query bound as `q`, best first, then by key.

    The end of the previous page binds as `after`, a key.

    Args:
        row: The row class whose table is searched.
        equals: Columns to filter by, ignoring case; values bind in lower case as `eq_<column>`.
    """
    columns = described(row).columns
    rows = live_columns(row, (*columns, SEARCH))
    conditions: list[sa.ColumnElement[bool]] = [rows.c[SEARCH].bool_op("@@")(_ASKED)]
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
    rows = live_columns(row, ("id", SEARCH))
    place = sa.select(_place(rows)).where(rows.c.id == sa.bindparam("after", type_=sa.Text))
    return sa.func.coalesce(place.scalar_subquery(), "")


def _place(rows: sa.Subquery) -> sa.ColumnElement[str]:
    """Return a text to sort by: better ranks, which are below 1, come first; equal ranks sort by key."""
    behind = sa.func.to_char(1 - sa.func.ts_rank(rows.c[SEARCH], _ASKED), "FM0.000000")
    return sa.collate(sa.func.concat(behind, " ", rows.c.id), "C")
