"""Injects faults into the events that reach a service, according to the event fault plan of their world.

In an armed world, each event's context says so, and the event lists the events that its publisher recorded
before it in the same unit of work. From these and from the traces of earlier calls and ticks, each consumer
decides alone and deterministically. It ignores concurrent arrivals, so neither their order nor the load
affects the result. Each place (event, object, consumer) meets an incident at most once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, assert_never

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from companyos.sdk.chaos import FaultId, FaultPlan, Incident

from ..world import statements
from ..world.causes import group_of, is_direct
from ..world.messages import Event
from ..world.work import UnitOfWork
from .deferred import (
    DOWN,
    INCIDENT,
    PLAN,
    DeadLetter,
    DeferredEvent,
    DeferredEvents,
    digest,
)
from .reactions import Reactions

#: A call usually takes a simulated minute; a shorter delay would end before it can be observed.
LEAST_S: Final = 60
#: The value of a damaged field: no event has list fields.
DAMAGE: Final[list[Any]] = []
_QUEUEING: Final = (FaultId.DELAY, FaultId.POISON, FaultId.CONSUMER_DOWN)


class EventFaultPlan(BaseModel):
    """The event fault plan of a world: the key of its draws and the canonical profile."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(pattern="^[0-9a-f]{64}$")
    profile: dict[str, Any]


@dataclass(frozen=True)
class Arrival:
    """The result of an event's arrival.

    Attributes:
        lost: Whether the bus lost the event, which must then be resent.
        copies: Number of deliveries.
    """

    lost: bool = False
    copies: int = 1


@dataclass(frozen=True)
class IncomingEvent:
    """An event as described by its message.

    Attributes:
        earlier: (name, object) of the events that the same unit of work recorded before this one.
    """

    id: str
    name: str
    object: str
    payload: dict[str, Any]
    earlier: Sequence[tuple[str, str]]

    @property
    def group(self) -> str:
        """The call or tick that caused the event."""
        return group_of(self.id)


def arm(waiting: DeferredEvents, armed: EventFaultPlan | None) -> None:
    """Replace a world's event fault plan; None stops injection."""
    if armed is None:
        waiting.forget(PLAN, "events")
    else:
        waiting.note(PLAN, "events", armed.model_dump())


async def arrive(
    event: dict[str, Any], waiting: DeferredEvents, reactions: Reactions, service: str
) -> Arrival:
    """Apply an event, or inject the fault that its world's plan assigns to it."""
    unit = waiting.unit
    incoming = IncomingEvent(
        event["id"], event["name"], event.get("object", ""), event["payload"], event.get("earlier", [])
    )
    if unit.context.hold:
        waiting.hold(_deferred(incoming, unit, until=None))
        return Arrival()
    return await EventFaultInjector(waiting, reactions, service).take(incoming)


class EventFaultInjector:
    """Decides which incident each event meets at one service, within one unit of work."""

    def __init__(self, waiting: DeferredEvents, reactions: Reactions, service: str) -> None:
        self._waiting = waiting
        self._unit = waiting.unit
        self._reactions = reactions
        self._service = service
        found = waiting.bodies(PLAN)
        self._plan = _plan(statements.dumps(found[0])) if found else None

    async def take(self, event: IncomingEvent) -> Arrival:
        """Apply an event, defer it, or inject its planned incident."""
        waits, incident = self._decide(event)
        if waits:
            self._waiting.hold(_deferred(event, self._unit, until=self._unit.now))
            return Arrival()
        if incident is None:
            await self._apply(event, event.payload)
            return Arrival()
        is_new = not any(one["event"] == event.id for one in self._waiting.bodies(INCIDENT))
        noted = {"fault": str(incident.fault), "where": list(incident.where), "group": event.group}
        self._waiting.note(INCIDENT, "/".join(incident.where), {**noted, "event": event.id})
        if incident.fault is FaultId.BROKER_LOSS and is_new:
            return Arrival(lost=True)
        self._tell(incident, "landed")
        return await self._inject(event, incident)

    def _decide(self, event: IncomingEvent) -> tuple[bool, Incident | None]:
        """Return whether an event must wait for earlier ones, and the incident it meets, if any."""
        past = [one for one in self._waiting.bodies(INCIDENT) if one["group"] != event.group]
        places = {tuple(one["where"]) for one in past}
        landed = [FaultId(one["fault"]) for one in past]
        blocked, down = self._waiting.blocked(event.group), self._waiting.is_down(event.group)
        earlier = [(name, about) for name, about in event.earlier if name in self._reactions.consumed]
        waits, incident = False, None
        for name, about in [*earlier, (event.name, event.object)]:
            waits = down or about in blocked
            is_possible = not waits and is_direct(event.id)
            incident = self._incident(name, about, landed, places) if is_possible else None
            if incident is not None:
                landed.append(incident.fault)
                places.add(incident.where)
                down |= incident.fault is FaultId.CONSUMER_DOWN
            if waits or (incident is not None and incident.fault in _QUEUEING):
                blocked.add(about)
        return waits, incident

    def _incident(
        self, name: str, about: str, landed: list[FaultId], places: set[tuple[str, ...]]
    ) -> Incident | None:
        if self._plan is None or (name, about, self._service) in places:
            return None
        possible = _possible(self._reactions.view(name))
        return self._plan.event(name, about, self._service, landed, possible)

    async def _inject(self, event: IncomingEvent, incident: Incident) -> Arrival:
        params, now = incident.params, self._unit.now
        match incident.fault:
            case FaultId.DELAY:
                self._hold(event, incident, until=now + self._seconds(incident, params["ticks_s"]))
            case FaultId.REORDER:
                until = now + self._seconds(incident, params["window_s"])
                self._hold(event, incident, until=until, queues=False)
            case FaultId.DROP:
                self._hold(event, incident, until=now + params["redelivery_s"], queues=False)
            case FaultId.CONSUMER_DOWN:
                self._go_down(event, until=now + params["window_s"])
                self._hold(event, incident, until=now)
            case FaultId.POISON:
                self._set_aside(event, incident)
            case FaultId.CLOCK_SKEW:
                await self._apply(event, self._skewed(event, incident))
                self._tell(incident, "delivered")
            case FaultId.DUPLICATE | FaultId.BROKER_LOSS:
                await self._apply(event, event.payload)
                self._tell(incident, "delivered")
                return Arrival(copies=params.get("copies", 1))
            case _:  # pragma: no cover
                assert_never(incident.fault)  # type: ignore[arg-type]
        return Arrival()

    async def _apply(self, event: IncomingEvent, payload: dict[str, Any]) -> None:
        await self._reactions.react(event.name, payload, self._unit)

    def _hold(self, event: IncomingEvent, incident: Incident, *, until: int, queues: bool = True) -> None:
        fault = str(incident.fault)
        self._waiting.hold(_deferred(event, self._unit, until=until, queues=queues, fault=fault))

    def _go_down(self, event: IncomingEvent, *, until: int) -> None:
        self._waiting.note(DOWN, "service", {"until": until, "group": event.group})
        self._waiting.look_again(DOWN, until)

    def _set_aside(self, event: IncomingEvent, incident: Incident) -> None:
        """Damage an event, make the usual number of delivery attempts, then turn it into a dead letter."""
        view = self._reactions.view(event.name)
        damaged = {**event.payload, self._draw(incident, "field", view.FACTS): DAMAGE}
        tries = incident.params["deliveries"]
        flaws = [_flaw(view, damaged) for _ in range(tries)]
        field, flaw = flaws[-1]
        letter = DeadLetter(field, f"{field}: {flaw}", deliveries=tries, digest=digest(event.payload))
        undeliverable = IncomingEvent(event.id, event.name, event.object, damaged, event.earlier)
        self._waiting.hold(
            _deferred(undeliverable, self._unit, until=None, fault=str(incident.fault), letter=letter)
        )

    def _skewed(self, event: IncomingEvent, incident: Incident) -> dict[str, Any]:
        by = self._draw(incident, "direction", (-1, 1)) * incident.params["skew_s"]
        names = self._reactions.view(event.name).INSTANTS
        return {**event.payload, **{name: max(0, event.payload[name] + by) for name in names}}

    def _seconds(self, incident: Incident, most: int) -> int:
        return int(self._draw(incident, "seconds", range(LEAST_S, most + 1)))

    def _draw(self, incident: Incident, name: str, options: Sequence[Any]) -> Any:
        assert self._plan is not None
        return self._plan.draw(incident, name, options)

    def _tell(self, incident: Incident, state: str) -> None:
        ended = {"by": "itself"} if state == "delivered" else {}
        fault = {"fault": str(incident.fault), "where": list(incident.where), "state": state}
        self._unit.note_fault({**fault, **ended})


@lru_cache(maxsize=256)
def _plan(armed: str) -> FaultPlan:
    return FaultPlan.of_armed(orjson.loads(armed))


@lru_cache(maxsize=256)
def _possible(view: type[Event]) -> frozenset[FaultId]:
    """Return the possible faults of an event: damage requires a correctable field, clock skew an instant."""
    impossible = {FaultId.POISON: not view.FACTS, FaultId.CLOCK_SKEW: not view.INSTANTS}
    return frozenset(fault for fault in FaultId if not impossible.get(fault, False))


def _deferred(
    event: IncomingEvent,
    unit: UnitOfWork,
    *,
    until: int | None,
    queues: bool = True,
    fault: str | None = None,
    letter: DeadLetter | None = None,
) -> DeferredEvent:
    return DeferredEvent(
        id=event.id,
        name=event.name,
        object=event.object,
        payload=event.payload,
        at=unit.now,
        until=until,
        queues=queues,
        group=event.group,
        fault=fault,
        letter=letter,
    )


def _flaw(view: type[Event], payload: dict[str, Any]) -> tuple[str, str]:
    """Return the unreadable field and the reason."""
    try:
        view.model_validate(payload)
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False)[0]
        return ".".join(map(str, flaw["loc"])), str(flaw["msg"])
    raise AssertionError("a damaged event can be read")
