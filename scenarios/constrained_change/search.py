"""Searches for an order of acts that reaches an aim and harms nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any, Final

from .simulation import Act, Place, Simulation, State

MOST_STATES: Final = 20_000


@dataclass(frozen=True)
class Aim:
    """What a search has to reach, and what must not happen on the way.

    Attributes:
        wanted: Rows, each with the column values that it must have at the end.
        never: What must not happen, as (kind, object); an empty object stands for any.
        acts: The acts to choose from.
    """

    wanted: Mapping[Place, Mapping[str, Any]]
    never: frozenset[tuple[str, str]]
    acts: Sequence[Act]

    def parts(self, state: State) -> list[Aim]:
        """Return the aim class by class, and then what concerns no asset; each class has rules of its own.

        Waiting is part of every one.
        """
        waits = [act for act in self.acts if act.place is None]
        by_class: dict[str | None, list[Act]] = {}
        for act in self.acts:
            if act.place is not None:
                by_class.setdefault(_class(state, act.place), []).append(act)
        return [
            Aim(
                {place: columns for place, columns in self.wanted.items() if _class(state, place) == one},
                self.never,
                [*by_class[one], *waits],
            )
            for one in sorted(by_class, key=lambda one: one is None)
        ]

    def holds(self, state: State) -> bool:
        """Return whether the wanted state is reached."""
        return self.missing(state) == 0

    def missing(self, state: State) -> int:
        """Return how many columns do not yet have the wanted value."""
        return sum(
            state.rows[place].get(name) != value
            for place, columns in self.wanted.items()
            for name, value in columns.items()
        )

    def harmed(self, state: State) -> bool:
        """Return whether anything forbidden happened."""
        return any(
            (kind, object_id) in self.never or (kind, "") in self.never for kind, object_id in state.history
        )


def find_order(simulation: Simulation, start: State, aim: Aim) -> list[Act] | None:
    """Return a short order of acts that reaches the aim and harms nobody, or None if none exists."""
    state, order = start, list[Act]()
    for part in aim.parts(start):
        found = _search(simulation, state, part)
        if found is None:
            return None
        state, order = simulation.through(state, found), [*order, *found]
    return order if aim.holds(state) and not aim.harmed(state) else None


def _search(simulation: Simulation, start: State, aim: Aim) -> list[Act] | None:
    """Return an order for one part of an aim; None only after visiting every reachable state.

    The number of wrong columns guides the search.
    """
    number, seen = count(), {start.key}
    heap: list[tuple[int, int, State, list[Act]]] = [(aim.missing(start), next(number), start, [])]
    while heap and len(seen) < MOST_STATES:
        _, _, state, done = heappop(heap)
        if aim.holds(state):
            return done
        for act in (act for act in aim.acts if act.is_possible(state)):
            after = simulation.after(state, act)
            if not aim.harmed(after) and after.key not in seen:
                seen.add(after.key)
                heappush(heap, (len(done) + 1 + aim.missing(after), next(number), after, [*done, act]))
    return None


def _class(state: State, place: Place) -> str | None:
    """Return the class of the asset that a row is, or that a ticket is about."""
    row = state.rows[place]
    asset = row if place[1] == "assets" else state.rows.get(("datahub", "assets", row["subject"] or ""))
    return None if asset is None else str(asset["asset_class"])
