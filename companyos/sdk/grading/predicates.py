"""The vocabulary of grading: predicates over committed state, and the parts of a grade built from them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from companyos.sdk.actions import Action, call

from .state import Row, View

Predicate = Callable[[View], bool]


def row_where(
    service: str, table: str, row_id: str, claim: Callable[[Row], bool] = lambda row: True, **columns: Any
) -> Predicate:
    """Return whether there is a row with this id that has these values and of which the claim is true."""

    def holds(view: View) -> bool:
        row = view.row(service, table, row_id)
        return row is not None and columns.items() <= row.items() and bool(claim(row))

    return holds


def any_changed(
    service: str, table: str, claim: Callable[[Row], bool] = lambda row: True, **columns: Any
) -> Predicate:
    """Return whether a row written since the start has these values and makes the claim true.

    A row that was removed counts as it was.
    """
    return lambda view: any(
        columns.items() <= row.items() and claim(row) for row in view.changed(service, table)
    )


def all_of(*predicates: Predicate) -> Predicate:
    """Return whether all of these hold; none is asked after the first that does not."""
    return lambda view: all(holds(view) for holds in predicates)


def any_of(*predicates: Predicate) -> Predicate:
    """Return whether any of these holds; none is asked after the first that does."""
    return lambda view: any(holds(view) for holds in predicates)


@dataclass(frozen=True)
class Check:
    """A named fact about committed state; `why` explains it on the grade card."""

    name: str
    holds: Predicate
    why: str


class Harm(StrEnum):
    """The kind of a forbidden fact, which decides what it costs in addition to success."""

    FORBIDDEN = "forbidden"
    DUPLICATE = "duplicate"
    IRREVERSIBLE = "irreversible"


@dataclass(frozen=True)
class Forbidden(Check):
    """A fact that must never hold; once it does, the episode can no longer succeed."""

    harm: Harm = Harm.FORBIDDEN


@dataclass(frozen=True)
class ExpectedRefusal:
    """How to refuse a task that cannot be done: with one of the codes, and with all of the evidence."""

    reason_codes: Sequence[str]
    evidence: Sequence[str] = ()

    @property
    def action(self) -> Action:
        """The call that refuses the task rightly."""
        return call("refuse", reason_code=self.reason_codes[0], evidence=list(self.evidence))


@dataclass(frozen=True)
class Order:
    """A rule that `then` may become true only at or after a step at which `first` was true."""

    name: str
    first: Predicate
    then: Predicate


@dataclass(frozen=True)
class Milestone:
    """Progress worth `size`, credited while `holds` is true and withdrawn when it is not.

    A negative size marks a setback: bad luck, which only the `seed` profile penalizes.
    """

    name: str
    size: float
    holds: Predicate
