"""One page of a longer list, with the length of the whole list."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

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
