"""The effects of a step on its world: units of work, the events between them, and the resulting changes.

A step is a sequence of groups. The first unit of a group is a call or a tick; the others are reactions to its events,
and to theirs. Groups are sequential; inside a group only causes order units, since reactions run concurrently.
Therefore the record holds the state after each group, never the order of writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

Row = Mapping[str, Any]


class RowKey(NamedTuple):
    """The key of a row: service, table and business key; sorted as the record sorts changes."""

    service: str
    table: str
    id: str

    def __str__(self) -> str:
        return "/".join(self)


@dataclass(frozen=True)
class EventFault:
    """A fault that hit an event, as reported by the consumer.

    Attributes:
        document: `fault`, `where` (event, object, consumer), `state` (landed or delivered) and what ended it (`by`).
    """

    document: Mapping[str, Any]

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """The order of faults, which concurrent reactions report in no particular order."""
        return (*self.document["where"], self.document["fault"], self.document["state"] == "delivered")


@dataclass(frozen=True)
class UnitOutcome:
    """The effects of one unit of work, as reported by its service.

    Attributes:
        changes: The rows it wrote, None if removed, by table and id.
        events: (id, name) of the events it recorded.
        reports_due: Whether it reported the service's next due instant.
        next_due: That instant, None if nothing is due.
        replayed: Whether an earlier attempt did the work and this one only reports it.
        faults: Faults that hit its events, and faults that ended.
    """

    changes: Mapping[tuple[str, str], Row | None] = field(default_factory=dict)
    events: tuple[tuple[str, str], ...] = ()
    reports_due: bool = False
    next_due: int | None = None
    replayed: bool = False
    faults: tuple[EventFault, ...] = ()


class MalformedEffects(ValueError):
    """An effects document is not as services write it; the message names the first part that is wrong."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class _Change(_Strict):
    table: str
    id: str
    row: dict[str, Any] | None


class _Event(_Strict):
    id: str
    name: str


class _Fault(_Strict):
    model_config = ConfigDict(extra="allow")

    fault: str
    where: list[str]
    state: str


class _Effects(_Strict):
    changes: list[_Change]
    events: list[_Event]
    next_due: int | None = None
    replayed: bool = False
    faults: list[_Fault] = []


def read_outcome(document: Any) -> UnitOutcome:
    """Return the outcome in a service's effects document.

    Raises:
        MalformedEffects: It is not one.
    """
    try:
        effects = _Effects.model_validate(document)
    except ValidationError as error:
        raise MalformedEffects(".".join(map(str, error.errors()[0]["loc"])) or "no object") from error
    return UnitOutcome(
        changes={(change.table, change.id): change.row for change in effects.changes},
        events=tuple((event.id, event.name) for event in effects.events),
        reports_due="next_due" in effects.model_fields_set,
        next_due=effects.next_due,
        replayed=effects.replayed,
        faults=tuple(EventFault(fault.model_dump()) for fault in effects.faults),
    )


@dataclass(frozen=True)
class Unit:
    """One unit of work with its service and its cause."""

    service: str
    cause: str
    outcome: UnitOutcome


@dataclass(frozen=True)
class Change:
    """A row after a group or a step, with the causes that wrote it."""

    row_key: RowKey
    row: Row | None
    causes: tuple[str, ...]

    @property
    def document(self) -> dict[str, Any]:
        """The change in the form of the record."""
        service, table, row_id = self.row_key
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
    def own(self) -> Iterable[tuple[RowKey, Row | None]]:
        """The rows that the agent's own call wrote, as it left them; none for a tick."""
        first = self.units[0]
        if not self.by_agent:
            return []
        return [(RowKey(first.service, *key), row) for key, row in first.outcome.changes.items()]

    @property
    def events(self) -> list[dict[str, Any]]:
        """The recorded events, each with its cause."""
        return [
            {"id": event_id, "name": name, "service": unit.service, "cause": unit.cause}
            for unit in self.units
            for event_id, name in unit.outcome.events
        ]

    @property
    def faults(self) -> list[EventFault]:
        """The faults that hit events, in an order independent of the reports' order."""
        reported = (fault for unit in self.units for fault in unit.outcome.faults)
        return sorted(reported, key=lambda fault: fault.sort_key)

    def next_due(self, service: str) -> tuple[bool, int | None]:
        """Return whether the service reported its next due instant, and the earliest one it reported.

        Concurrent reactions report it in no particular order. The earliest is never later than the actual one, and a
        tick that finds nothing due changes nothing and reports the actual one.
        """
        reports = [
            unit.outcome for unit in self.units if unit.service == service and unit.outcome.reports_due
        ]
        instants = [outcome.next_due for outcome in reports if outcome.next_due is not None]
        return bool(reports), min(instants, default=None)


@dataclass(frozen=True)
class Written:
    """The effect of one group of a step: the agent's own writes, then the state after the whole group.

    Attributes:
        own: Rows written by the agent's own call, as it left them.
        changes: Rows as the group left them; None if removed.
    """

    own: Sequence[tuple[RowKey, Row | None]]
    changes: Sequence[tuple[RowKey, Row | None]]


@dataclass(frozen=True)
class OverwrittenOwn:
    """A write by the agent's own call to a row that ticks or reactions wrote in the same step.

    The step's changes do not tell what the call did to it: `before` is the row before the call, `row` after it.
    """

    row_key: RowKey
    before: Row | None
    row: Row | None

    @property
    def document(self) -> dict[str, Any]:
        """The write in the form of the record."""
        service, table, row_id = self.row_key
        return {"service": service, "table": table, "id": row_id, "before": self.before, "row": self.row}


def overwritten(
    written: Sequence[Written], row_before: Callable[[RowKey], Row | None]
) -> list[OverwrittenOwn]:
    """Return the own writes that the rows before and after a step do not show.

    Args:
        written: The step's groups, in order.
        row_before: Returns a row before the step.
    """
    last = {row_key: row for group in written for row_key, row in group.changes}
    now: dict[RowKey, Row | None] = {}
    found = []
    for group in written:
        for row_key, row in group.own:
            was_written = row_key in now and now[row_key] != row_before(row_key)
            if was_written or row != last[row_key]:
                before = now[row_key] if was_written else row_before(row_key)
                found.append(OverwrittenOwn(row_key, before, row))
        now |= dict(group.changes)
    return found


def contested(group: Group) -> list[RowKey]:
    """Return the rows that reactions wrote differently, without one causing the other.

    Only the service knows which of them came last.
    """
    return sorted(
        row_key for row_key, writers in _writers(group).items() if _last(row_key, writers, group) is None
    )


def settled_changes(group: Group, truth: Mapping[RowKey, Row | None]) -> list[Change]:
    """Return the rows after the group, by key; `truth` has the contested ones."""
    changes = []
    for row_key, writers in sorted(_writers(group).items(), key=lambda item: item[0]):
        last = _last(row_key, writers, group)
        row = truth[row_key] if last is None else _row(row_key, last)
        changes.append(Change(row_key, row, tuple(sorted({writer.cause for writer in writers}))))
    return changes


def merged(groups: Iterable[Sequence[Change]]) -> list[Change]:
    """Return the rows after the last of these groups of changes, with all their causes, by key."""
    final: dict[RowKey, Change] = {}
    for change in (change for changes in groups for change in changes):
        before = final[change.row_key].causes if change.row_key in final else ()
        final[change.row_key] = Change(change.row_key, change.row, tuple(sorted({*before, *change.causes})))
    return [final[row_key] for row_key in sorted(final)]


def _writers(group: Group) -> dict[RowKey, list[Unit]]:
    writers: dict[RowKey, list[Unit]] = {}
    for unit in group.units:
        for key in unit.outcome.changes:
            writers.setdefault(RowKey(unit.service, *key), []).append(unit)
    return writers


def _last(row_key: RowKey, writers: Sequence[Unit], group: Group) -> Unit | None:
    """Return the writer that all others led to, or any if they agree; None if causes do not decide."""
    if all(_row(row_key, writer) == _row(row_key, writers[0]) for writer in writers):
        return writers[0]
    parents = {event_id: unit.cause for unit in group.units for event_id, _ in unit.outcome.events}
    for writer in writers:
        led_to_it = _ancestry(writer.cause, parents)
        if all(other.cause in led_to_it for other in writers):
            return writer
    return None


def _row(row_key: RowKey, writer: Unit) -> Row | None:
    return writer.outcome.changes[row_key.table, row_key.id]


def _ancestry(cause: str, parents: Mapping[str, str]) -> set[str]:
    found = {cause}
    while cause in parents:
        cause = parents[cause]
        found.add(cause)
    return found
