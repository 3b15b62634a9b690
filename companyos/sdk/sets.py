"""Sets: tasks that ask for an exact subset of many objects, graded item by item and as a whole."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from .grading import Check, Milestone, Predicate
from .state import Row, View

Chosen = Callable[[View], Collection[str]]


@dataclass(frozen=True)
class ItemSet:
    """A set of objects that the agent must pick, and a function that reads its picks from committed state.

    Attributes:
        name: Its name on the grade card, and the prefix of its milestones' names.
        wanted: Ids of the right objects.
        chosen: Returns the ids that the agent has picked so far, such as `ids_where(...)`.
    """

    name: str
    wanted: frozenset[str]
    chosen: Chosen

    def is_exact(self) -> Predicate:
        """Return a predicate that holds if exactly the right objects were picked."""
        return lambda view: set(self.chosen(view)) == self.wanted

    def has_wrong(self, is_meant: Callable[[str], bool]) -> Predicate:
        """Return a predicate that holds if a wrong object was picked of which this claim is true."""
        return lambda view: any(is_meant(one) for one in self.chosen(view) if one not in self.wanted)

    def must(self, why: str) -> Check:
        """Return a check that holds if exactly the right objects were picked."""
        return Check(f"{self.name}_exact", self.is_exact(), why)

    def milestones(self, total: float) -> tuple[Milestone, ...]:
        """Return a milestone for each right object, together worth `total`.

        The nth holds while right picks exceed wrong ones by at least n, so picking everything earns little or
        nothing.
        """
        each = round(total / len(self.wanted), 2) if self.wanted else 0.0
        return tuple(
            Milestone(f"{self.name}_{number}", each, self._is_ahead_by(number))
            for number in range(1, len(self.wanted) + 1)
        )

    def card(self, view: View) -> dict[str, Any]:
        """Return precision and recall, and the objects that were missed or picked wrongly, for the grade card."""
        chosen = set(self.chosen(view))
        right = chosen & self.wanted
        return {
            "name": self.name,
            "wanted": len(self.wanted),
            "chosen": len(chosen),
            "precision": len(right) / len(chosen) if chosen else None,
            "recall": len(right) / len(self.wanted) if self.wanted else None,
            "missed": sorted(self.wanted - chosen),
            "wrong": sorted(chosen - self.wanted),
        }

    def _is_ahead_by(self, number: int) -> Predicate:
        def holds(view: View) -> bool:
            chosen = set(self.chosen(view))
            return len(chosen & self.wanted) - len(chosen - self.wanted) >= number

        return holds


def ids_where(service: str, table: str, column: str = "id", **columns: Any) -> Chosen:
    """Return a function that picks the rows with these values and returns one column of each."""
    return lambda view: _ids(view.rows(service, table, **columns), column)


def ids_changed(service: str, table: str, picked: Callable[[Row], bool], column: str = "id") -> Chosen:
    """Return a function that picks the changed rows that meet a condition and returns one column of each."""
    return lambda view: _ids([row for row in view.changed(service, table) if picked(row)], column)


def _ids(rows: Sequence[Row], column: str) -> list[str]:
    return [str(row[column]) for row in rows]
