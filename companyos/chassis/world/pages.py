"""One page of a longer list, which knows how long the whole list is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")
Other = TypeVar("Other")


@dataclass(frozen=True, slots=True)
class ListPage(Generic[Item]):
    """Some successive items of a list.

    Attributes:
        items: The items, in the order of the list.
        total: How many items the whole list has, on all pages together.
    """

    items: Sequence[Item]
    total: int

    def map(self, change: Callable[[Item], Other]) -> "ListPage[Other]":
        """Return the page with each item changed."""
        return ListPage([change(item) for item in self.items], self.total)
