"""What goes wrong with events on their way into a service, as the plan of their world has it.

Where a world is armed, the context of each event says so and the event says what its publisher recorded before it in
the same unit of work. With that, and with what earlier calls and ticks of the episode left, each consumer decides for
itself and always in the same way: what arrives at the same time never has a say, so neither order nor load can be
observed. An incident befalls a place (event, object, consumer) once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, assert_never

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from companyos.chaos import FaultId, FaultPlan, Incident

from . import worlds
from .events import Event, Reactions
from .held import DOWN, INCIDENT, PLAN, Held, Letter, Waiting, digest, group_of, is_direct
from .work import UnitOfWork

#: A call takes a simulated minute as a rule; what waits less is there before anybody can look.
LEAST_S: Final = 60
#: What a damaged field holds: no field of an event is a list.
DAMAGE: Final[list[Any]] = []
_QUEUEING: Final = (FaultId.DELAY, FaultId.POISON, FaultId.CONSUMER_DOWN)


class Armed(BaseModel):
    """The plan of a world: the key of its draws and the canonical profile of its event faults."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(pattern="^[0-9a-f]{64}$")
    profile: dict[str, Any]


@dataclass(frozen=True)
class Arrival:
    """What became of an event that arrived.

    Attributes:
        lost: Whether the bus lost it, so that it has to come again.
        copies: How often it is delivered.
    """

    lost: bool = False
    copies: int = 1


@dataclass(frozen=True)
class Arriving:
    """An event as its message tells of it.

    Attributes:
        earlier: (name, object) of what the same unit of work recorded before.
    """

    id: str
    name: str
    object: str
    payload: dict[str, Any]
    earlier: Sequence[tuple[str, str]]

    @property
    def group(self) -> str:
        """The call or tick that set it off."""
        return group_of(self.id)


def arm(waiting: Waiting, armed: Armed | None) -> None:
    """Put a plan in place of a world's plan; none, where nothing is to go wrong from now on."""
    if armed is None:
        waiting.forget(PLAN, "events")
    else:
        waiting.note(PLAN, "events", armed.model_dump())


async def arrive(event: dict[str, Any], waiting: Waiting, reactions: Reactions, service: str) -> Arrival:
    """Apply an event, or do with it what the plan of its world has for it."""
    unit = waiting.unit
    told = Arriving(
        event["id"], event["name"], event.get("object", ""), event["payload"], event.get("earlier", [])
    )
    if unit.context.hold:
        waiting.hold(_held(told, unit, until=None))
        return Arrival()
    return await _Way(waiting, reactions, service).take(told)


class _Way:
    """The way of events into one service, in one unit of work."""

    def __init__(self, waiting: Waiting, reactions: Reactions, service: str) -> None:
        self._waiting = waiting
        self._unit = waiting.unit
        self._reactions = reactions
        self._service = service
        found = waiting.bodies(PLAN)
        self._plan = _plan(worlds.dumps(found[0])) if found else None

    async def take(self, event: Arriving) -> Arrival:
        """Apply an event, have it wait, or have an incident befall it."""
        waits, incident = self._fate(event)
        if waits:
            self._waiting.hold(_held(event, self._unit, until=self._unit.now))
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
        return await self._befall(event, incident)

    def _fate(self, event: Arriving) -> tuple[bool, Incident | None]:
        """Return whether an event has to wait for earlier ones, or the incident that befalls it."""
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

    async def _befall(self, event: Arriving, incident: Incident) -> Arrival:
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

    async def _apply(self, event: Arriving, payload: dict[str, Any]) -> None:
        await self._reactions.react(event.name, payload, self._unit)

    def _hold(self, event: Arriving, incident: Incident, *, until: int, queues: bool = True) -> None:
        fault = str(incident.fault)
        self._waiting.hold(_held(event, self._unit, until=until, queues=queues, fault=fault))

    def _go_down(self, event: Arriving, *, until: int) -> None:
        self._waiting.note(DOWN, "service", {"until": until, "group": event.group})
        self._waiting.look_again(DOWN, until)

    def _set_aside(self, event: Arriving, incident: Incident) -> None:
        """Try an event that arrives damaged as often as any, and keep it for somebody to mend."""
        view = self._reactions.view(event.name)
        damaged = {**event.payload, self._draw(incident, "field", view.FACTS): DAMAGE}
        tries = incident.params["deliveries"]
        flaws = [_flaw(view, damaged) for _ in range(tries)]
        letter = Letter(error=flaws[-1], deliveries=tries, digest=digest(event.payload))
        told = Arriving(event.id, event.name, event.object, damaged, event.earlier)
        self._waiting.hold(_held(told, self._unit, until=None, fault=str(incident.fault), letter=letter))

    def _skewed(self, event: Arriving, incident: Incident) -> dict[str, Any]:
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
    """Return what can befall an event: damage needs a field that can be mended, a wrong clock an instant."""
    impossible = {FaultId.POISON: not view.FACTS, FaultId.CLOCK_SKEW: not view.INSTANTS}
    return frozenset(fault for fault in FaultId if not impossible.get(fault, False))


def _held(
    event: Arriving,
    unit: UnitOfWork,
    *,
    until: int | None,
    queues: bool = True,
    fault: str | None = None,
    letter: Letter | None = None,
) -> Held:
    return Held(
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


def _flaw(view: type[Event], payload: dict[str, Any]) -> str:
    try:
        view.model_validate(payload)
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, flaw['loc']))}: {flaw['msg']}"
    return "it could not be read"
