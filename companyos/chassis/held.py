"""Events that have reached a service and are not applied yet, in one world.

An event may have to wait: for an instant, for one about the same object that came before it, for the service to take
events again, or for somebody who mends or releases it. What waits is a row of the world, with what is due for it on the
world's clock, so it is carried by forks and snapshots and survives every process. When an instant comes, whatever is
ready is applied in the order in which it was recorded, in the one transaction of that tick.
"""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any, ClassVar, Final

from . import worlds
from .events import Due, Reactions
from .internals import FaultRow
from .work import UnitOfWork

HELD: Final = "held"
DOWN: Final = "down"
INCIDENT: Final = "incident"
PLAN: Final = "plan"

_EVENT_ID: Final = re.compile(r"(s(\d+)(?:\.t(\d+)(?:\.(\d+))?)?)\.(\D.*)", re.DOTALL)


class DeliverHeld(Due):
    """Events that wait may be ready."""

    NAME: ClassVar[str] = "chassis.deliver_held"


@dataclass(frozen=True)
class Letter:
    """What is known of an event that could not be applied.

    Attributes:
        digest: Of the payload as its publisher signed it.
    """

    error: str
    deliveries: int
    digest: str


@dataclass(frozen=True)
class Held:
    """An event that waits.

    Attributes:
        id: Id of the event.
        object: What it is about.
        at: When it was recorded.
        until: When it may be applied; None until somebody mends or releases it.
        queues: Whether later events about its object wait behind it.
        group: The call or tick that set it off.
        fault: The fault it waits for; None where it waits for another event.
        by: What ends its waiting, as far as is known.
        letter: Why it was set aside, if it was.
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
    letter: Letter | None = None

    @property
    def place(self) -> tuple[Any, ...]:
        """Sorts events in the order in which their world recorded them."""
        return place(self.id, self.at)

    @property
    def publisher(self) -> str:
        """Name of the service that recorded it."""
        return publisher(self.id)


def publisher(event_id: str) -> str:
    """Return the name of the service that recorded an event: it is in its id."""
    return event_id.rpartition(".")[0].rpartition(".")[2]


def group_of(event_id: str) -> str:
    """Return the call or tick that set off an event, directly or by others."""
    found = _EVENT_ID.fullmatch(event_id)
    return found[1] if found else event_id


def is_direct(event_id: str) -> bool:
    """Return whether a call or tick recorded an event itself, rather than a reaction."""
    found = _EVENT_ID.fullmatch(event_id)
    return found is not None and found[5].count(".") == 1


def place(event_id: str, at: int) -> tuple[Any, ...]:
    """Return what sorts events by when they were recorded: of one instant, ticks come before the call."""
    found = _EVENT_ID.fullmatch(event_id)
    if found is None:
        return (at, 0, 0, 0, (event_id,))
    _, step, tick, round_, rest = found.groups()
    path = tuple(f"{int(part):09}" if part.isdecimal() else part for part in rest.split("."))
    return (at, int(step), 0 if tick else 1, int(round_ or 1), path)


def digest(payload: dict[str, Any]) -> str:
    """Return the digest of a payload, equal for equal JSON."""
    return blake2b(worlds.dumps(payload).encode(), digest_size=16).hexdigest()


class Waiting:
    """What waits in one world at one service, in one unit of work."""

    def __init__(self, unit: UnitOfWork, rows: Iterable[FaultRow]) -> None:
        self.unit = unit
        self._rows = {row.id: row for row in rows}

    @classmethod
    async def of(cls, unit: UnitOfWork) -> "Waiting":
        """Return what waits in the world of a unit of work."""
        return cls(unit, await unit.all(unit.internals.fault))

    @property
    def all(self) -> list[Held]:
        """What waits, in the order recorded."""
        return sorted((_held(body) for body in self.bodies(HELD)), key=lambda held: held.place)

    def bodies(self, kind: str) -> list[dict[str, Any]]:
        """Return what is noted of a kind, by id."""
        return [row.body for _, row in sorted(self._rows.items()) if row.kind == kind]

    def note(self, kind: str, key: str, body: dict[str, Any]) -> None:
        """Note something, in place of what was noted under the same key."""
        row = self._rows.get(f"{kind}:{key}")
        if row is not None:
            row.body = body
            return
        row = self._rows[f"{kind}:{key}"] = self.unit.internals.fault(f"{kind}:{key}", kind, body)
        self.unit.add(row)

    def forget(self, kind: str, key: str) -> None:
        """Forget what was noted under a key."""
        if (row := self._rows.pop(f"{kind}:{key}", None)) is not None:
            self.unit.remove(row)

    def hold(self, held: Held) -> None:
        """Have an event wait, and look again when it may be applied."""
        self.note(HELD, held.id, asdict(held))
        if held.until is not None and held.until > held.at:
            self.look_again(held.id, held.until)

    def look_again(self, key: str, at: int) -> None:
        """Have what is ready applied at an instant."""
        self.unit.schedule(DeliverHeld(), at=at, id=f"deliver:{key}")

    def is_down(self, group: str = "") -> bool:
        """Return whether the service takes no events, as far as earlier groups say."""
        return any(down["until"] > self.unit.now and down["group"] != group for down in self.bodies(DOWN))

    def blocked(self, group: str) -> set[str]:
        """Return the objects of which events of earlier groups wait, so that later ones have to as well."""
        return {held.object for held in self.all if held.queues and held.group != group}

    def ready(self) -> list[Held]:
        """Return what may be applied now, in the order recorded."""
        if self.is_down():
            return []
        found, blocked = [], set()
        for held in self.all:
            waits = held.until is None or held.until > self.unit.now or held.letter is not None
            if waits or (held.queues and held.object in blocked):
                blocked |= {held.object} if held.queues else set()
            else:
                found.append(held)
        return found

    async def deliver(self, reactions: Reactions, service: str) -> None:
        """Apply what is ready."""
        for down in self.bodies(DOWN):
            if down["until"] <= self.unit.now:
                self.forget(DOWN, "service")
        for held in self.ready():
            self.forget(HELD, held.id)
            self.unit.published_at = held.at
            await reactions.react(held.name, held.payload, self.unit)
            if held.fault is not None:
                where = [held.name, held.object, service]
                told = {"fault": held.fault, "where": where, "state": "delivered", "by": held.by}
                self.unit.note_fault(told)
        self.unit.published_at = self.unit.now

    def bring(self, chosen: Iterable[Held], by: str) -> None:
        """Let events come now, as far as nothing else holds them: on the clock, not in this unit of work."""
        now = self.unit.now
        for held in chosen:
            waits = held.until is None or held.until > now
            self.note(HELD, held.id, asdict(replace(held, until=now, by=by) if waits else held))
            self.look_again(held.id, now)

    def mend(self, held: Held, payload: dict[str, Any]) -> None:
        """Take an event that was set aside back into its place, with the payload it should have had."""
        self.bring([replace(held, payload=payload, letter=None)], "redrive")


def _held(body: dict[str, Any]) -> Held:
    letter = body["letter"]
    return Held(**{**body, "letter": None if letter is None else Letter(**letter)})
