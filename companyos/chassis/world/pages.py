"""One page of a longer list, with the length of the whole list, and the cursor that leads from one to the next."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..errors import CursorUnknown
from ..postgres.epochs import Connection
from . import statements
from .tables import Row

Item = TypeVar("Item")
Other = TypeVar("Other")


@dataclass(frozen=True, slots=True)
class ListPage(Generic[Item]):
    """Consecutive items of a list.

    Attributes:
        items: The items, in the order of the list.
        total: Number of items on all pages.
    """

    items: Sequence[Item]
    total: int

    def map(self, change: Callable[[Item], Other]) -> "ListPage[Other]":
        """Return the page with each item changed."""
        return ListPage([change(item) for item in self.items], self.total)


def page_after(
    items: Sequence[Item], last: Item | None, limit: int, *, place: Callable[[Item], Any]
) -> ListPage[Item]:
    """Return up to `limit` items after the last one of the previous page, which may no longer be in the list.

    Args:
        items: The whole list, in the order of their places.
        last: The last item of the previous page, None for the first page.
        limit: Maximum number of items.
        place: Return the place of an item in the order.
    """
    rest = [item for item in items if last is None or place(item) > place(last)]
    return ListPage(rest[:limit], len(items))


async def row_of_cursor(
    connection: Connection,
    chain: Mapping[str, Any],
    cursor: str | None,
    rows: Sequence[type[Row]],
    equals: Mapping[str, Any],
) -> Row | None:
    """Return the row with a cursor's key as it last was, even if removed; None without a cursor.

    Args:
        connection: Where to look.
        chain: The parameters of statements over the world.
        cursor: The cursor that a caller gave.
        rows: The row classes of the list.
        equals: Columns of its rows that never change, with the values that all rows of the list have.

    Raises:
        CursorUnknown: The list has never had a row with this key.
    """
    if not cursor:
        return None
    lookups = [(statements.newest(row), {**chain, "id": cursor}) for row in rows]
    answers = [] if statements.unstorable(cursor) else await connection.together(*lookups)
    for row, found in zip(rows, answers, strict=False):
        last = row(*found[0][:-1]) if found else None
        if last is not None and all(getattr(last, column) == value for column, value in equals.items()):
            return last
    raise CursorUnknown(cursor)
