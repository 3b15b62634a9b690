"""Allowances: the rows that an agent's own calls may write, column by column; whatever they leave open is forbidden.

A grader compares each row that the agent's own call wrote with the row before the call. An allowance explains the write
if it covers the row and allows the new value of each changed column. A write that no allowance explains costs success,
even if the agent undoes it later. Columns that the service maintains itself, such as a version, are never compared.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from .identifiers import Identifiers
from .predicates import Predicate
from .state import Row, Table, View

#: A required value, or a claim about it.
Value = Any
#: The service, the table and the id of a row.
RowName = tuple[str, str, str]


@dataclass(frozen=True)
class OrMade:
    """The claim that a value meets a claim, or is the id of a row that the agent has made under an allowance.

    Attributes:
        claim: The value or the claim about it.
        tables: The tables whose new rows count.
    """

    claim: Value
    tables: Collection[Table]

    def __call__(self, value: Any, made: Collection[RowName] = ()) -> bool:
        """Return whether it is true of a value; `made` are the rows made so far."""
        return _fits(self.claim, value) or any((*table, value) in made for table in self.tables)


@dataclass(frozen=True)
class Allowance:
    """Rows of one table that the agent's own calls may write, the columns that may change, and their new values.

    Without `created`, it covers rows that exist, all those that `key` and `where` describe. With `created`, it covers
    new rows, and later changes of these. A new row may have values only in `columns`.

    Attributes:
        table: The service and the table.
        columns: The columns that may change, each with its new value or a claim about it. Free text takes `ANYTHING`.
        key: The row's id, or a claim about it.
        where: Further columns of the row before the write, each with a value or a claim.
        created: How many new rows it covers.
        removed: Whether the rows may be removed, too.
        reverted: Whether the row must be as at the start again when the episode ends.
        harmless: Why more writes than the task needs do no harm here. The card lists it, and a search for extra acts
            that keep the success counts all others as errors. Required with `reverted`.
    """

    table: Table
    columns: Mapping[str, Value]
    key: Value = None
    where: Mapping[str, Value] = field(default_factory=dict)
    created: int = 0
    removed: bool = False
    reverted: bool = False
    harmless: str = ""

    def __post_init__(self) -> None:
        if self.reverted and not self.harmless:
            raise ValueError(
                f"an allowance of {'.'.join(self.table)} says `reverted`, but not why that is harmless"
            )

    @property
    def is_about_existing(self) -> bool:
        """Whether it covers rows besides those created under it."""
        return self.key is not None or not self.created

    def covers_id(self, row: Row) -> bool:
        """Return whether it is about the row with this id."""
        return self.key is None or _fits(self.key, row["id"])

    def covers(self, row: Row) -> bool:
        """Return whether it is about an existing row."""
        return self.covers_id(row) and all(_fits(value, row[name]) for name, value in self.where.items())

    def shows_in(self, before: Row | None, row: Row | None) -> bool:
        """Return whether a row looks as if a write under it had made it what it is.

        Args:
            before: The row as it was at the start; None if it is new.
            row: The row as it is; None if it was removed.
        """
        if row is None:
            return before is not None and self.removed and self.covers(before)
        if before is None:
            values = ((value, row.get(name)) for name, value in self.columns.items())
            return bool(self.created) and self.covers_id(row) and all(_fits(*pair) for pair in values)
        changed = changed_columns(before, row) & self.columns.keys()
        is_about = self.is_about_existing and self.covers(before)
        return is_about and any(_fits(self.columns[name], row[name]) for name in changed)

    def unexplained(
        self, before: Row | None, after: Row, maintained: Set[str], made: Collection[RowName] = ()
    ) -> frozenset[str]:
        """Return the columns whose new values it does not allow.

        Args:
            before: The row before the write; None if it is new.
            after: The row as the call left it.
            maintained: The columns that the service maintains.
            made: The rows that the agent has made under allowances so far.
        """
        return frozenset(
            name
            for name in changed_columns(before, after, maintained)
            if name not in self.columns or not _allows(self.columns[name], after[name], made)
        )


def changed_columns(before: Row | None, after: Row, maintained: Set[str] = frozenset()) -> frozenset[str]:
    """Return the columns that a write changed, without the id; of a new row, those that have a value."""
    if before is None:
        names = (name for name, value in after.items() if not _is_empty(value))
    else:
        names = (name for name, value in after.items() if before.get(name) != value)
    return frozenset(names) - maintained - {"id"}


def is_begun(allowances: Iterable[Allowance]) -> Predicate:
    """Return the claim that the work has begun: a row shows what an allowance explains that is not merely harmless."""
    needed = [one for one in allowances if not one.harmless]

    def holds(view: View) -> bool:
        start = view.initial
        return any(
            one.shows_in(start.row(*one.table, row["id"]), view.row(*one.table, row["id"]))
            for one in needed
            for row in view.changed(*one.table)
        )

    return holds


def one_of(*values: Any) -> Callable[[Any], bool]:
    """Return the claim that a value is one of these."""
    return lambda value: value in values


def is_near(wanted: float, tolerance: float) -> Callable[[float], bool]:
    """Return the claim that a number is the wanted one but for rounding."""
    # The slack allows for rounding when floating-point values are summed in another order.
    return lambda number: abs(number - wanted) <= tolerance + 1e-9


def within(values: Collection[Any]) -> Callable[[Any], bool]:
    """Return the claim that a list has no other elements than these; what is no list has not."""
    return lambda found: isinstance(found, list | tuple) and all(one in values for one in found)


def names_none(names: Collection[str]) -> Callable[[Any], bool]:
    """Return the claim that a text names none of these, in whatever spelling."""
    # Only once such a text is written, because names can be many.
    recognized = cache(lambda: Identifiers(names))
    return lambda text: not recognized().are_in([str(text)])


def anything(value: Any) -> bool:
    """Claim nothing: free text, or a value that does not matter."""
    return True


ANYTHING: Final = anything


def _fits(wanted: Value, value: Any) -> bool:
    return bool(wanted(value)) if callable(wanted) else bool(value == wanted)


def _allows(wanted: Value, value: Any, made: Collection[RowName]) -> bool:
    return wanted(value, made) if isinstance(wanted, OrMade) else _fits(wanted, value)


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})
