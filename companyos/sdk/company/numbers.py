"""Ids of a company's objects: one series per prefix, with numbers drawn within it.

Numbers that others give out, such as those of a supplier's invoices, are drawn here as well if they must differ.
"""

from collections.abc import Callable
from typing import Final

from companyos.sdk.draws import Coordinate, Draws

#: Assigns an id to an object of a series: `Numbers.reserve` or `Numbers.next`.
NewId = Callable[[str], str]

_FIRST: Final = {"TD": 1001, "APR": 1, "MET": 101, "A": 1, "DOC": 1, "MSG": 1, "PUR": 1, "ORD": 1}
_PADDED: Final = frozenset({"APR", "MET", "A", "DOC", "MSG", "PUR", "ORD"})

#: The number of failed draws after which a series counts as full.
_DRAWS: Final = 64


class Numbers:
    """The numbers in use so far; `spread` is the expected size of a series."""

    def __init__(self, draws: Draws, spread: int) -> None:
        self._draws = draws
        self._spread = spread
        self._taken: dict[str, set[int]] = {}
        self._next: dict[str, int] = {}
        self._drawn: dict[tuple[str, str], set[int]] = {}

    def reserve(self, prefix: str, number: int | None = None) -> str:
        """Return an id whose number is drawn unless given, so that it reveals nothing about its object."""
        taken, attempt = self._taken.setdefault(prefix, set()), 0
        while number is None or number in taken:
            width = _range_width(self._spread, attempt)
            number = self._first(prefix) + self._draws.integer("id", 0, width, prefix, len(taken), attempt)
            attempt += 1
        return self._take(prefix, number)

    def draw_unused(self, name: str, low: int, high: int, *coordinates: Coordinate, owner: str = "") -> int:
        """Return an integer from `low` to `high` that was not drawn before under this name for the same owner.

        The first draw is that of `Draws.integer`, so that only a number that is taken is replaced.
        """
        taken, attempt = self._drawn.setdefault((name, owner), set()), 0
        number = self._draws.integer(name, low, high, *coordinates)
        while number in taken:
            attempt += 1
            highest = low + _range_width(high - low + 1, attempt) - 1
            number = self._draws.integer(name, low, highest, *coordinates, "again", len(taken), attempt)
        taken.add(number)
        return number

    def next(self, prefix: str) -> str:
        """Return the next id of a series."""
        number = self._next.get(prefix) or self._first(prefix)
        while number in self._taken.get(prefix, ()):
            number += 1
        self._next[prefix] = number + 1
        return self._take(prefix, number)

    def following(self, prefix: str) -> str:
        """Return the id that a service will give the next object of a series: the highest in use plus one."""
        return self._take(prefix, max(self._taken.get(prefix, ()), default=self._first(prefix) - 1) + 1)

    def age(self, identifier: str) -> float:
        """Return the age of the object with this id, from 1.0 for the first of its series to 0.0 for the newest."""
        prefix, _, number = identifier.partition("-")
        return max(0.0, 1 - (int(number) - self._first(prefix)) / self._spread)

    def _take(self, prefix: str, number: int) -> str:
        self._taken.setdefault(prefix, set()).add(number)
        return f"{prefix}-{number:04d}" if prefix in _PADDED else f"{prefix}-{number}"

    def _first(self, prefix: str) -> int:
        return _FIRST.get(prefix) or 101 + self._draws.integer("first", 0, 250, prefix)


def _range_width(width: int, attempt: int) -> int:
    """Return the width of a range, which grows with every round of draws so that a full series can continue."""
    return width * (1 + attempt // _DRAWS)
