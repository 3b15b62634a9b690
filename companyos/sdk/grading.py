"""The vocabulary of grading: predicates over committed state, and the parts of a grade that are made of them."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from .state import Row, View

Predicate = Callable[[View], bool]


@dataclass(frozen=True)
class Check:
    """A named fact about committed state; `why` says what it means, for the grade card."""

    name: str
    holds: Predicate
    why: str


class Harm(StrEnum):
    """What a forbidden fact costs besides success."""

    FORBIDDEN = "forbidden"
    DUPLICATE = "duplicate"
    IRREVERSIBLE = "irreversible"


@dataclass(frozen=True)
class Forbidden(Check):
    """A fact that must not come about; once it holds, the episode cannot succeed any more."""

    harm: Harm = Harm.FORBIDDEN


@dataclass(frozen=True)
class Order:
    """`then` may come true only at a step at which, or after which, `first` was true."""

    name: str
    first: Predicate
    then: Predicate


@dataclass(frozen=True)
class Milestone:
    """Progress worth `size`, held while `holds` is true and taken back when it is not.

    One of negative size is a setback: bad luck, for which the `seed` profile alone charges.
    """

    name: str
    size: float
    holds: Predicate


@dataclass(frozen=True)
class Footprint:
    """Rows of one table that the agent's own calls may write.

    `allows` sees the row as the call left it, or as it was before if the call removed it. Journals, and rows
    written by reactions and due events, are allowed by their cause and never asked about.
    """

    service: str
    table: str
    allows: Callable[[Row], bool]
