"""Tracks what predicates read, so that a step judges only those that its writes can have changed."""

from __future__ import annotations

from collections.abc import Set

from companyos.sdk.grading.state import Table
from companyos.sdk.scenario import Predicate


class PredicateReads:
    """The tables that each predicate of one instance has looked at, in any of its episodes.

    A predicate is a function of the rows it looks at. As long as none of its tables is written, it looks at the same
    rows in the same order, so its verdict stands.
    """

    def __init__(self) -> None:
        # Keyed by identity: the instance keeps its predicates alive for as long as it is graded.
        self._tables: dict[int, set[Table]] = {}

    def note(self, predicate: Predicate, tables: Set[Table]) -> None:
        """Add the tables that a predicate has just looked at."""
        self._tables.setdefault(id(predicate), set()).update(tables)

    def may_change(self, predicate: Predicate, written: Set[Table]) -> bool:
        """Return whether writes to these tables can change a predicate's verdict."""
        tables = self._tables.get(id(predicate))
        return tables is None or not tables.isdisjoint(written)
