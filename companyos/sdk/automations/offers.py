"""Offers: what may start a service's rules, and what they may read and do, as detailed as the proof needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Effects:
    """The effects of an action or a reaction on its service.

    Attributes:
        reads: The columns it reads, as `table.column`.
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
        events: Events that can start its rules, with the facts of each.
        tables: Tables whose rows its rules can count and read, with their columns. A changed row can start
            rules.
        actions: Its actions.
        values: Values that it offers in addition to its tables, each with the columns it is computed from.
        acts: For each kind of act, the events that one call or tick may record and the columns it may change.
        reactions: The effects of the service's own reactions to events that may also start rules.
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
