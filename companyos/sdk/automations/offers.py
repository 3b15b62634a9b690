"""Offers: what rules of a service may start from, look at and do, as far as a proof needs to know."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Effects:
    """What an action or a reaction does to its service.

    Attributes:
        reads: The columns it looks at, as `table.column`.
        writes: The columns it may change.
        publishes: The events it may record.
    """

    writes: frozenset[str] = frozenset()
    publishes: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Offer:
    """What one service offers to automations.

    Attributes:
        events: Events that its rules can start from, with the facts of each.
        tables: Tables that its rules can count in and read, with their columns; a changed row can start rules.
        actions: Its actions.
        values: The values that it offers besides its tables, each with the columns it rests on.
        acts: For each kind of act, the events and columns that one call or tick may record and change at once.
        reactions: What the service does itself on events that rules may also start from.
        repeated: Events that one tick may record several times, about different objects.
    """

    service: str
    events: Mapping[str, frozenset[str]]
    tables: Mapping[str, frozenset[str]]
    actions: Mapping[str, Effects]
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    acts: tuple[Effects, ...] = ()
    reactions: Mapping[str, Effects] = field(default_factory=dict)
    repeated: frozenset[str] = frozenset()
