"""What a step did to its world: units of work, the events between them, and the changes they add up to.

A step is a sequence of groups. The first unit of a group is a call or a tick; the others are reactions to its
events, and to theirs. Groups follow one another; inside a group only cause orders units, since reactions run
concurrently. What is recorded is therefore the state each group left, never the way it was reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Row = Mapping[str, Any]


class Place(NamedTuple):
    """Which row: service, table and business key; ordered as the record orders changes."""

    service: str
    table: str
    id: str

    def __str__(self) -> str:
        return "/".join(self)


@dataclass(frozen=True)
class EventFault:
    """What went wrong with an event, as the service that was to apply it told.

    Attributes:
        document: `fault`, `where` (event, object, consumer), `state` (landed or delivered) and what it is over `by`.
    """

    document: Mapping[str, Any]

    @property
    def place(self) -> tuple[Any, ...]:
        """Sorts faults that concurrent reactions told in no particular order."""
        return (*self.document["where"], self.document["fault"], self.document["state"] == "delivered")


@dataclass(frozen=True)
class Outcome:
    """What one unit of work did, as its service told.

    Attributes:
        changes: The rows it wrote, None where removed, by table and id.
        events: (id, name) of the events it recorded.
        due_told: Whether it told when the service's next due event is.
        next_due: That instant, None if nothing is due.
        replayed: Whether the work was done by an earlier attempt and only reported again.
        faults: What went wrong with events it was about, and what of it is over.
    """

    changes: Mapping[tuple[str, str], Row | None] = field(default_factory=dict)
    events: tuple[tuple[str, str], ...] = ()
    due_told: bool = False
    next_due: int | None = None
    replayed: bool = False
    faults: tuple[EventFault, ...] = ()


def read_outcome(effects: Mapping[str, Any]) -> Outcome:
    """Return the outcome that a service's effects document tells."""
    return Outcome(
        changes={(change["table"], change["id"]): change["row"] for change in effects["changes"]},
        events=tuple((event["id"], event["name"]) for event in effects["events"]),
        due_told="next_due" in effects,
        next_due=effects.get("next_due"),
        replayed=bool(effects.get("replayed", False)),
        faults=tuple(EventFault(fault) for fault in effects.get("faults", ())),
    )


@dataclass(frozen=True)
class Unit:
    """One unit of work in its place: which service did it, for which cause."""

    service: str
    cause: str
    outcome: Outcome


@dataclass(frozen=True)
class Change:
    """A row as a group or a step left it, and the causes that wrote it."""

    place: Place
    row: Row | None
    causes: tuple[str, ...]

    @property
    def document(self) -> dict[str, Any]:
        """The change as the record holds it."""
        service, table, row_id = self.place
        return {
            "causes": list(self.causes),
            "service": service,
            "table": table,
            "id": row_id,
            "row": self.row,
        }


@dataclass(frozen=True)
class Group:
    """A call or a tick, and all reactions to it, settled.

    Attributes:
        units: The first is the call or tick itself.
        by_agent: Whether the first is the agent's own call.
    """

    units: tuple[Unit, ...]
    by_agent: bool

    @property
    def own(self) -> Iterable[tuple[Place, Row | None]]:
        """The rows that the agent's own call wrote, as it left them; none of a tick."""
        first = self.units[0]
        if not self.by_agent:
            return []
        return [(Place(first.service, *key), row) for key, row in first.outcome.changes.items()]

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events recorded, each with its cause."""
        return [
            {"id": event_id, "name": name, "service": unit.service, "cause": unit.cause}
            for unit in self.units
            for event_id, name in unit.outcome.events
        ]

    @property
    def faults(self) -> list[EventFault]:
        """What went wrong with events, in an order that does not depend on who told first."""
        told = (fault for unit in self.units for fault in unit.outcome.faults)
        return sorted(told, key=lambda fault: fault.place)

    def next_due(self, service: str) -> tuple[bool, int | None]:
        """Return whether the service told of its due events, and the earliest instant it told.

        Concurrent reactions tell it in no particular order. The earliest is never later than the truth, and a tick
        that finds nothing due does nothing and tells the truth.
        """
        told = [unit.outcome for unit in self.units if unit.service == service and unit.outcome.due_told]
        instants = [outcome.next_due for outcome in told if outcome.next_due is not None]
        return bool(told), min(instants, default=None)


def contested(group: Group) -> list[Place]:
    """Return the rows that reactions wrote differently without one being caused by the other.

    Which of them came last is known to the service only.
    """
    return sorted(place for place, writers in _writers(group).items() if _last(place, writers, group) is None)


def settled_changes(group: Group, truth: Mapping[Place, Row | None]) -> list[Change]:
    """Return the rows as the group left them, by place; `truth` has those that are contested."""
    changes = []
    for place, writers in sorted(_writers(group).items(), key=lambda item: item[0]):
        last = _last(place, writers, group)
        row = truth[place] if last is None else _row(place, last)
        changes.append(Change(place, row, tuple(sorted({writer.cause for writer in writers}))))
    return changes


def merged(groups: Iterable[Sequence[Change]]) -> list[Change]:
    """Return the rows as the last of these groups of changes left them, with all their causes, by place."""
    final: dict[Place, Change] = {}
    for change in (change for changes in groups for change in changes):
        before = final[change.place].causes if change.place in final else ()
        final[change.place] = Change(change.place, change.row, tuple(sorted({*before, *change.causes})))
    return [final[place] for place in sorted(final)]


def _writers(group: Group) -> dict[Place, list[Unit]]:
    writers: dict[Place, list[Unit]] = {}
    for unit in group.units:
        for key in unit.outcome.changes:
            writers.setdefault(Place(unit.service, *key), []).append(unit)
    return writers


def _last(place: Place, writers: Sequence[Unit], group: Group) -> Unit | None:
    """Return the writer that all others led to, or any if they agree; None where cause does not tell."""
    if all(_row(place, writer) == _row(place, writers[0]) for writer in writers):
        return writers[0]
    parents = {event_id: unit.cause for unit in group.units for event_id, _ in unit.outcome.events}
    for writer in writers:
        led_to_it = _ancestry(writer.cause, parents)
        if all(other.cause in led_to_it for other in writers):
            return writer
    return None


def _row(place: Place, writer: Unit) -> Row | None:
    return writer.outcome.changes[place.table, place.id]


def _ancestry(cause: str, parents: Mapping[str, str]) -> set[str]:
    found = {cause}
    while cause in parents:
        cause = parents[cause]
        found.add(cause)
    return found
