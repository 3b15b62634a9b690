"""Sets: tasks that ask for an exact subset of many objects, or for the right end of each object of a pile.

Both are graded item by item and as a whole.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .predicates import Check, Milestone, Predicate, row_where
from .state import Row, Table, View

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


@dataclass(frozen=True)
class Dispositions:
    """What is right for each object of a pile, and what its rows show that was made of it.

    A disposition is a kind with its details, such as `approved` or `hold:goods_missing`.

    Attributes:
        table: The table of the objects.
        ids: The objects of the pile.
        right: The right disposition of each object; empty if none of them may be touched.
        read: Returns the disposition that a row shows, or None while there is none.
    """

    table: Table
    ids: Collection[str]
    right: Mapping[str, str]
    read: Callable[[Row], str | None]

    def by_object(self, view: View) -> dict[str, str]:
        """Return the dispositions so far, by object."""
        rows = [row for row in view.changed(*self.table) if row["id"] in self.ids]
        return {row["id"]: made for row in rows if (made := self.read(row)) is not None}

    @property
    def items(self) -> ItemSet:
        """The set of right dispositions, each with its object, for milestones and the grade card."""
        return ItemSet(
            "dispositions",
            frozenset(map("=".join, self.right.items())),
            lambda view: [*map("=".join, self.by_object(view).items())],
        )

    def is_right(self, object_id: str, how: Callable[[Row], bool] = lambda row: True) -> Predicate:
        """Return whether an object has its right disposition, in a way of which this claim about its row is true."""
        right = self.right[object_id]
        return row_where(*self.table, object_id, lambda row: self.read(row) == right and how(row))

    def has_any(self, object_ids: Collection[str] | None = None) -> Predicate:
        """Return whether any of these objects, by default any of the pile, has a disposition, right or wrong."""
        among = self.ids if object_ids is None else object_ids
        return lambda view: any(object_id in among for object_id in self.by_object(view))

    def has_wrong(self, kind: str) -> Predicate:
        """Return whether an object has a disposition of this kind that is not its right one."""
        return lambda view: any(
            made.partition(":")[0] == kind and self.right.get(object_id) != made
            for object_id, made in self.by_object(view).items()
        )


def ids_where(service: str, table: str, column: str = "id", **columns: Any) -> Chosen:
    """Return a function that picks the rows with these values and returns one column of each."""
    return lambda view: _ids(view.rows(service, table, **columns), column)


def ids_changed(service: str, table: str, picked: Callable[[Row], bool], column: str = "id") -> Chosen:
    """Return a function that picks the changed rows that meet a condition and returns one column of each."""
    return lambda view: _ids([row for row in view.changed(service, table) if picked(row)], column)


def _ids(rows: Sequence[Row], column: str) -> list[str]:
    return [str(row[column]) for row in rows]
