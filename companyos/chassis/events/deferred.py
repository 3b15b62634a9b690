"""Events that have reached a service in one world but are not applied yet.

An event may wait for an instant, for an earlier event about the same object, for the service to accept events
again, or for a redrive or release. A deferred event is a row of the world with a due event on the world's
clock, so forks and snapshots include it and it survives restarts. At its instant, all ready events are
applied in the order recorded, in that tick's single transaction.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import blake2b
from typing import Any, ClassVar, Final

from sqlalchemy import select

from ..errors import CursorUnknown
from ..world import statements
from ..world.causes import place, publisher
from ..world.internals import FaultRow
from ..world.messages import Due
from ..world.public_ids import public_id
from ..world.work import UnitOfWork
from .reactions import Reactions

DEFERRED: Final = "deferred"
DOWN: Final = "down"
INCIDENT: Final = "incident"
PLAN: Final = "plan"


class DeliverDeferred(Due):
    """Deferred events may be ready."""

    NAME: ClassVar[str] = "chassis.deliver_deferred"


@dataclass(frozen=True)
class DeadLetter:
    """Why an event could not be applied.

    Attributes:
        field: The unreadable field of the payload.
        digest: Digest of the payload as signed by its publisher.
    """

    field: str
    error: str
    deliveries: int
    digest: str


@dataclass(frozen=True)
class DeferredEvent:
    """An event that waits to be applied.

    Attributes:
        id: Id of the event.
        object: Id of its object.
        at: When it was recorded.
        until: When it may be applied. None until it is redriven or released.
        queues: Whether later events about its object wait behind it.
        group: The call or tick that caused it.
        fault: The fault that defers it; None if it waits for another event.
        by: What ends the deferral, if known.
        letter: Why it became a dead letter, if it did.
    """

    id: str
    name: str
    object: str
    payload: dict[str, Any]
    at: int
    until: int | None
    queues: bool
    group: str
    fault: str | None = None
    by: str = "waiting"
    letter: DeadLetter | None = None

    @property
    def place(self) -> tuple[Any, ...]:
        """Sort key: the order in which the world recorded the events."""
        return place(self.id, self.at)

    @property
    def publisher(self) -> str:
        """Name of the service that recorded the event."""
        return publisher(self.id)

    @property
    def public_id(self) -> str:
        """The event's id as agents see it."""
        return public_id(self.id)


def digest(payload: dict[str, Any]) -> str:
    """Return the digest of a payload, equal for equal JSON."""
    return blake2b(statements.dumps(payload).encode(), digest_size=16).hexdigest()


class DeferredEvents:
    """The events deferred in one world at one service, within one unit of work."""

    def __init__(self, unit: UnitOfWork, rows: Iterable[FaultRow]) -> None:
        self.unit = unit
        self._rows = {row.id: row for row in rows}

    @classmethod
    async def of(cls, unit: UnitOfWork) -> "DeferredEvents":
        """Return the events deferred in the world of a unit of work."""
        return cls(unit, await unit.all(unit.internals.fault))

    @property
    def all(self) -> list[DeferredEvent]:
        """The deferred events, in the order recorded."""
        return sorted(
            (_deferred(body) for body in self.bodies(DEFERRED)), key=lambda deferred: deferred.place
        )

    async def ever_deferred(self, public_id: str) -> DeferredEvent:
        """Return the event that was ever deferred under a public id, even if it was delivered since.

        Raises:
            CursorUnknown: None was.
        """
        for kind, body in await self.unit.raw(_notes(self.unit.internals.fault)):
            if kind == DEFERRED and (deferred := _deferred(body)).public_id == public_id:
                return deferred
        raise CursorUnknown(public_id)

    def bodies(self, kind: str) -> list[dict[str, Any]]:
        """Return the notes of one kind, by id."""
        return [row.body for _, row in sorted(self._rows.items()) if row.kind == kind]

    def note(self, kind: str, key: str, body: dict[str, Any]) -> None:
        """Store a note, replacing any under the same key."""
        row = self._rows.get(f"{kind}:{key}")
        if row is not None:
            row.body = body
            return
        row = self._rows[f"{kind}:{key}"] = self.unit.internals.fault(f"{kind}:{key}", kind, body)
        self.unit.add(row)

    def forget(self, kind: str, key: str) -> None:
        """Delete the note under a key."""
        if (row := self._rows.pop(f"{kind}:{key}", None)) is not None:
            self.unit.remove(row)

    def hold(self, deferred: DeferredEvent) -> None:
        """Defer an event and schedule its delivery."""
        self.note(DEFERRED, deferred.id, asdict(deferred))
        if deferred.until is not None and deferred.until > deferred.at:
            self.look_again(deferred.id, deferred.until)

    def look_again(self, key: str, at: int) -> None:
        """Schedule the delivery of ready events at an instant."""
        self.unit.schedule(DeliverDeferred(), at=at, id=f"deliver:{key}")

    def is_down(self, group: str = "") -> bool:
        """Return whether the service accepts no events because of an earlier group."""
        return any(down["until"] > self.unit.now and down["group"] != group for down in self.bodies(DOWN))

    def blocked(self, group: str) -> set[str]:
        """Return the objects with waiting events from earlier groups, which block later events about them."""
        return {deferred.object for deferred in self.all if deferred.queues and deferred.group != group}

    def ready(self) -> list[DeferredEvent]:
        """Return the events that may be applied now, in the order recorded."""
        if self.is_down():
            return []
        found, blocked = [], set()
        for deferred in self.all:
            waits = deferred.until is None or deferred.until > self.unit.now or deferred.letter is not None
            if waits or (deferred.queues and deferred.object in blocked):
                blocked |= {deferred.object} if deferred.queues else set()
            else:
                found.append(deferred)
        return found

    async def deliver(self, reactions: Reactions, service: str) -> None:
        """Apply the ready events."""
        for down in self.bodies(DOWN):
            if down["until"] <= self.unit.now:
                self.forget(DOWN, "service")
        for deferred in self.ready():
            self.forget(DEFERRED, deferred.id)
            self.unit.published_at = deferred.at
            await reactions.react(deferred.name, deferred.payload, self.unit)
            if deferred.fault is not None:
                where = [deferred.name, deferred.object, service]
                fault = {"fault": deferred.fault, "where": where, "state": "delivered", "by": deferred.by}
                self.unit.note_fault(fault)
        self.unit.published_at = self.unit.now

    def replay(self, chosen: Iterable[DeferredEvent], by: str) -> None:
        """Schedule delivery of events for the next tick, unless something else defers them."""
        now = self.unit.now
        for deferred in chosen:
            waits = deferred.until is None or deferred.until > now
            self.note(
                DEFERRED, deferred.id, asdict(replace(deferred, until=now, by=by) if waits else deferred)
            )
            self.look_again(deferred.id, now)

    def redrive(self, deferred: DeferredEvent, payload: dict[str, Any]) -> None:
        """Return a dead letter to its place in the queue, with the corrected payload."""
        self.replay([replace(deferred, payload=payload, letter=None)], "redrive")


@cache
def _notes(row: type[FaultRow]) -> str:
    """Select the kind and body of all notes, even of those deleted since."""
    notes = statements.live_columns(row, ("kind", "body"), removed=True)
    return statements.compiled(select(notes.c.kind, notes.c.body))


def _deferred(body: dict[str, Any]) -> DeferredEvent:
    letter = body["letter"]
    return DeferredEvent(**{**body, "letter": None if letter is None else DeadLetter(**letter)})
