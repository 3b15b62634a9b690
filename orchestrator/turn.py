"""One step while it is played: its world's clock, its calls, and everything they set off.

Each call and each tick has a cause and an idempotency key made of the step's number and the simulated instant. A step
that is sent again makes the same calls under the same keys: services answer what they did already with what they
stored, and do the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companyos.chassis.context import Context
from companyos.scenario import Persona

from .agenda import Agenda, Tick
from .barrier import Watch
from .bus import Settlements
from .catalog import Catalog
from .effects import Change, EventFault, Group, Outcome, Place, Row, Unit, contested, merged, settled_changes
from .gateway import Answer, Gateway
from .grading import Written
from .problems import Outage, WorldAhead
from .records import Episode
from .tools import Tool, ToolRequest

#: The refusal of a key that belongs to another request. Where the agent gave none, the key was the step's own.
KEY_REUSED = "idempotency_key_reused"


@dataclass(frozen=True)
class Reach:
    """What a turn works with: the services, what they told of themselves, where they acknowledge, in which life."""

    gateway: Gateway
    catalog: Catalog
    settlements: Settlements
    acks: str
    life: str
    settle_s: float
    real_kills: bool


class Turn:
    """The next step of an episode, as far as it has come.

    Attributes:
        number: The step's number, from 1.
        agenda: The world's clock.

    Args:
        armed: Whether something may go wrong with events.
    """

    def __init__(
        self, reach: Reach, episode: Episode, persona: Persona, watch: Watch, *, armed: bool = False
    ) -> None:
        self.number = episode.step + 1
        self.agenda = Agenda(episode.now, {**dict.fromkeys(reach.catalog.services), **episode.due})
        self._reach = reach
        self._episode = episode
        self._persona = persona
        self._watch = watch
        self._armed = armed
        self._settled: list[tuple[Group, Sequence[Change]]] = []

    @property
    def elapsed_s(self) -> int:
        """Simulated seconds the step has taken so far."""
        return self.agenda.now - self._episode.now

    @property
    def written(self) -> list[Written]:
        """What was written so far, group by group, as grading takes it."""
        return [
            Written(list(group.own), [(change.place, change.row) for change in changes])
            for group, changes in self._settled
        ]

    @property
    def changes(self) -> list[Change]:
        """The rows as they are now, of those the step wrote, by place."""
        return merged(changes for _, changes in self._settled)

    @property
    def events(self) -> list[dict[str, str]]:
        """The events of the step, by id."""
        return sorted((event for group, _ in self._settled for event in group.events), key=_event_id)

    @property
    def faults(self) -> list[EventFault]:
        """What went wrong with events in the step, group by group."""
        return [fault for group, _ in self._settled for fault in group.faults]

    async def arm(self, plan: Mapping[str, Any] | None) -> None:
        """Have services go by another plan of what goes wrong with events, None where nothing does.

        Raises:
            Outage: A service did not take it. The step may be sent again.
        """
        context = self._context(f"s{self.number}.chaos")
        for service in self._reach.catalog.services:
            await self._reach.gateway.arm(service, context, plan)

    async def kill(self, service: str) -> None:
        """End a process of the service, if what chaos ends ends for real here.

        Raises:
            Outage: The service is not in the same mode. The step may be sent again.
        """
        if self._reach.real_kills:
            await self._reach.gateway.kill(service)

    async def advance(self, target: int) -> None:
        """Let time pass up to `target`; everything due on the way happens at its instant.

        Raises:
            Outage: A service did not do its part. The step may be sent again.
        """
        while (tick := self.agenda.next_tick(target)) is not None:
            await self._tick(tick)

    async def call(
        self, service: str, request: ToolRequest, *, verdict: str | None = None, hold: bool = False
    ) -> Answer:
        """Make the agent's call now and wait until everything it set off is done.

        Args:
            service: Name of the service.
            request: The call.
            verdict: What the service is to answer instead of carrying it out.
            hold: Whether those who react to its events keep them for later.

        Raises:
            Outage: The service, or one that reacts, did not do its part. The step may be sent again.
            WorldAhead: The service made another call in this step's place before.
        """
        context = replace(self._context(f"s{self.number}"), verdict=verdict, hold=hold)
        answer = await self._reach.gateway.call(service, request, context)
        if answer.code == KEY_REUSED and not request.headers:
            raise WorldAhead(service, f"it remembers another call of step {self.number}")
        if answer.problem is None:
            await self._settle(Unit(service, context.cause, answer.outcome), context, by_agent=True)
        return answer

    @property
    def awaited(self) -> list[dict[str, str]]:
        """The events that the agent's call itself recorded, once for each service that reacts."""
        calls = [group.units[0].outcome for group, _ in self._settled if group.by_agent]
        return [
            {"service": consumer, "event": event_id}
            for outcome in calls
            for event_id, name in outcome.events
            for consumer in self._reach.catalog.consumers(name)
        ]

    async def run(self, tool: Tool, arguments: Mapping[str, Any], *, label: str) -> Any:
        """Call a tool as a part of what the agent asked for, and return its result.

        Raises:
            Outage: The service did not do its part. The step may be sent again.
        """
        context = self._context(f"s{self.number}.{label}")
        answer = await self._reach.gateway.call(tool.service, tool.request(arguments), context)
        if answer.problem is not None:
            raise Outage(tool.service, f"refused {tool.operation}: {answer.problem['detail']}")
        await self._settle(Unit(tool.service, context.cause, answer.outcome), context, by_agent=False)
        return answer.result

    async def peek(self, tool: Tool, arguments: Mapping[str, Any], *, label: str) -> Any | None:
        """Return what a tool that reads shows now, None where it refuses.

        Raises:
            Outage: The service did not do its part. The step may be sent again.
        """
        context = self._context(f"s{self.number}.{label}")
        return (await self._reach.gateway.call(tool.service, tool.request(arguments), context)).result

    async def _tick(self, tick: Tick) -> None:
        context = self._context(f"s{self.number}.{tick.label}")
        outcome = await self._reach.gateway.tick(tick.service, context)
        await self._settle(Unit(tick.service, context.cause, outcome), context, by_agent=False)

    async def _settle(self, first: Unit, context: Context, *, by_agent: bool) -> None:
        async def ask(service: str, events: Sequence[str]) -> Mapping[str, Outcome]:
            return await self._reach.gateway.applied(service, context, events)

        group = await self._watch.settle(
            first, self._reach.catalog.consumers, ask, by_agent=by_agent, deadline_s=self._reach.settle_s
        )
        for service in {unit.service for unit in group.units}:
            told, next_due = group.next_due(service)
            if told:
                self.agenda.tell(service, next_due)
        self._settled.append((group, settled_changes(group, await self._truth(group, context))))
        self._reach.settlements.note(context.layer, group, context.life)

    async def _truth(self, group: Group, context: Context) -> dict[Place, Row | None]:
        truth: dict[Place, Row | None] = {}
        for service in sorted({place.service for place in contested(group)}):
            truth |= await self._reach.gateway.difference(service, context)
        return truth

    def _context(self, cause: str) -> Context:
        return Context(
            world=self._episode.world,
            chain=self._episode.chain,
            now=self.agenda.now,
            actor=self._persona.id,
            role=self._persona.role,
            cause=cause,
            key=cause,
            acks=self._reach.acks,
            life=self._reach.life,
            armed=self._armed,
        )


def _event_id(event: Mapping[str, str]) -> str:
    return event["id"]
