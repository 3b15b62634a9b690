"""Ids of a company's objects: one series per prefix, with numbers drawn within it."""

from typing import Final

from companyos.sdk.draws import Draws

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

    def reserve(self, prefix: str, number: int | None = None) -> str:
        """Return an id whose number is drawn unless given, so that it reveals nothing about its object."""
        taken, attempt = self._taken.setdefault(prefix, set()), 0
        while number is None or number in taken:
            # The range grows with every round of draws, so that a full series can continue.
            width = self._spread * (1 + attempt // _DRAWS)
            number = self._first(prefix) + self._draws.integer("id", 0, width, prefix, len(taken), attempt)
            attempt += 1
        return self._take(prefix, number)

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
