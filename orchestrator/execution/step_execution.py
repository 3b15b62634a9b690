"""The execution of a step: its world's clock, its calls, and everything they cause.

Each call and each tick has a cause and an idempotency key derived from the step's number and the simulated
instant. A retried step makes the same calls under the same keys, so services return stored results for the
work they have already done, and do the rest.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any

from companyos.chassis.world import causes
from companyos.chassis.world.context import Context
from companyos.sdk.chaos import FaultPlan

from ..agent.tools import Tool, ToolRequest
from ..agent.toolsets import Toolset
from ..progress.progress_cache import EpisodeProgress
from ..protocol.effects import (
    Change,
    EventFault,
    Group,
    Row,
    RowKey,
    Unit,
    UnitOutcome,
    Written,
    contested,
    merged,
    settled_changes,
)
from ..protocol.problems import Outage, ServiceDefect, WorldAhead
from ..protocol.records import Claim
from ..runtime.components import Components
from ..services.answers import ServiceAnswer
from ..services.barrier import EventWatch
from ..services.catalog import Catalog
from ..worlds.instances import PreparedInstance
from .agenda import Agenda, Tick
from .defects import Answer, ask_twice, refusal

#: The refusal of a key that belongs to another request. If the agent gave no key, it is the step's own.
KEY_REUSED = "idempotency_key_reused"


@dataclass(frozen=True)
class StepContext:
    """The context of a step: its claim, its initial state, its company, and the available tools.

    Attributes:
        catalog: Every tool of the company.
        tools: The tools that the agent has.
    """

    claim: Claim
    prepared: PreparedInstance
    progress: EpisodeProgress
    catalog: Catalog
    tools: Toolset

    @property
    def plan(self) -> FaultPlan | None:
        """The fault plan in force; None without chaos."""
        return self.prepared.plan


class StepExecution:
    """The next step of an episode while it is executed.

    Attributes:
        number: The step's number, from 1.
        agenda: The world's clock.
        defects: The calls on which a healthy service failed.
    """

    def __init__(self, components: Components, context: StepContext, watch: EventWatch) -> None:
        self.context = context
        self.episode = context.claim.episode
        self.number = self.episode.step + 1
        self.defects: list[ServiceDefect] = []
        self.agenda = Agenda(
            self.episode.now, {**dict.fromkeys(context.catalog.services), **self.episode.due}
        )
        self._components = components
        self._gateway = components.gateway
        self._watch = watch
        self._settled: list[tuple[Group, Sequence[Change]]] = []

    @property
    def elapsed_s(self) -> int:
        """Simulated seconds the step has taken so far."""
        return self.agenda.now - self.episode.now

    @property
    def written(self) -> list[Written]:
        """The rows written so far, group by group, in the form that grading uses."""
        return [
            Written(list(group.own), [(change.row_key, change.row) for change in changes])
            for group, changes in self._settled
        ]

    @property
    def changes(self) -> list[Change]:
        """The current state of the rows that the step wrote, by key."""
        return merged(changes for _, changes in self._settled)

    @property
    def events(self) -> list[dict[str, str]]:
        """The events of the step, by id."""
        return sorted((event for group, _ in self._settled for event in group.events), key=itemgetter("id"))

    @property
    def faults(self) -> list[EventFault]:
        """The faults that hit events in the step, group by group."""
        return [fault for group, _ in self._settled for fault in group.faults]

    async def arm(self, plan: Mapping[str, Any] | None) -> None:
        """Give every service a new plan of event faults; None removes it.

        Raises:
            Outage: A service did not accept it. The step may be sent again.
        """
        context = self._context(causes.within_step(self.number, "chaos"))
        for service in self.context.catalog.services:
            await self._ask_service(service, partial(self._gateway.arm, service, context, plan))

    async def kill(self, service: str) -> None:
        """End a process of the service, where kills are real.

        Raises:
            Outage: The service is not in the same mode. The step may be sent again.
        """
        if self._components.real_kills:
            await self._gateway.kill(service)

    async def advance(self, target: int) -> None:
        """Advance the clock to `target`; everything due by then happens at its instant.

        Raises:
            Outage: A service did not do its part. The step may be sent again.
        """
        while (tick := self.agenda.next_tick(target)) is not None:
            await self._tick(tick)

    async def call(
        self, service: str, request: ToolRequest, *, injected_response: str | None = None, hold: bool = False
    ) -> ServiceAnswer:
        """Make the agent's call and wait until everything it causes is done.

        Args:
            service: Name of the service.
            request: The call.
            injected_response: The answer that the service gives instead of carrying out the call.
            hold: Whether consumers defer its events.

        Returns:
            The answer; the refusal `service_error` if the healthy service fails on this call.

        Raises:
            Outage: The service, or one that reacts, did not do its part. The step may be sent again.
            WorldAhead: The service already carried out another call as this step.
        """
        context = replace(
            self._context(causes.of_step(self.number)), injected_response=injected_response, hold=hold
        )
        try:
            answer = await self._send_call(service, request, context)
        except ServiceDefect as defect:
            return await self._given_up(service, context, defect)
        if answer.code == KEY_REUSED and not request.headers:
            raise WorldAhead(service, f"it remembers another call of step {self.number}")
        if answer.problem is None:
            await self._settle(Unit(service, context.cause, answer.outcome), context, by_agent=True)
        return answer

    @property
    def awaited(self) -> list[dict[str, str]]:
        """The events that the agent's own call recorded, once for each consumer."""
        calls = [group.units[0].outcome for group, _ in self._settled if group.by_agent]
        return [
            {"service": consumer, "event": event_id}
            for outcome in calls
            for event_id, name in outcome.events
            for consumer in self.context.catalog.consumers(name)
        ]

    async def run(self, tool: Tool, arguments: Mapping[str, Any], *, label: str) -> Any:
        """Call a tool as part of the agent's request, and return its result.

        Raises:
            Outage: The service did not do its part. The step may be sent again.
        """
        context = self._context(causes.within_step(self.number, label))
        answer = await self._send_call(tool.service, tool.request(arguments), context)
        if answer.problem is not None:
            raise Outage(tool.service, f"refused {tool.operation}: {answer.problem['detail']}")
        await self._settle(Unit(tool.service, context.cause, answer.outcome), context, by_agent=False)
        return answer.result

    async def peek(self, tool: Tool, arguments: Mapping[str, Any], *, label: str) -> Any | None:
        """Return the result of a reading tool, or None if the service refuses the call, or fails on it.

        Raises:
            Outage: The service did not do its part. The step may be sent again.
        """
        context = self._context(causes.within_step(self.number, label))
        try:
            return (await self._send_call(tool.service, tool.request(arguments), context)).result
        except ServiceDefect as defect:
            self.defects.append(defect)
            return None

    async def _tick(self, tick: Tick) -> None:
        context = self._context(causes.within_step(self.number, tick.label))
        tell = partial(self._gateway.tick, tick.service, context)
        outcome = await self._ask_service(tick.service, tell)
        await self._settle(Unit(tick.service, context.cause, outcome), context, by_agent=False)

    async def _send_call(self, service: str, request: ToolRequest, context: Context) -> ServiceAnswer:
        return await self._ask_service(service, partial(self._gateway.call, service, request, context))

    async def _ask_service(self, service: str, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        return await ask_twice(self._gateway, service, ask, has_failed=self.context.claim.has_failed)

    async def _given_up(self, service: str, context: Context, defect: ServiceDefect) -> ServiceAnswer:
        """Refuse a call on which a healthy service fails, and settle what it committed nevertheless."""
        self.defects.append(defect)
        ask = partial(self._gateway.applied, service, context, [context.key])
        outcome = (await self._ask_service(service, ask)).get(context.key)
        if outcome is not None:
            await self._settle(Unit(service, context.cause, outcome), context, by_agent=True)
        return ServiceAnswer(problem=refusal(was_done=outcome is not None))

    async def _settle(self, first: Unit, context: Context, *, by_agent: bool) -> None:
        async def ask(service: str, events: Sequence[str]) -> Mapping[str, UnitOutcome]:
            return await self._gateway.applied(service, context, events)

        group = await self._watch.settle(
            first,
            self.context.catalog.consumers,
            ask,
            by_agent=by_agent,
            deadline_s=self._components.settle_s,
        )
        for service in {unit.service for unit in group.units}:
            is_reported, next_due = group.next_due(service)
            if is_reported:
                self.agenda.tell(service, next_due)
        self._settled.append((group, settled_changes(group, await self._truth(group, context))))
        self._components.settlements.note(context.layer, group, context.epoch)

    async def _truth(self, group: Group, context: Context) -> dict[RowKey, Row | None]:
        truth: dict[RowKey, Row | None] = {}
        for service in sorted({row_key.service for row_key in contested(group)}):
            ask = partial(self._gateway.difference, service, context)
            truth |= await self._ask_service(service, ask)
        return truth

    def _context(self, cause: str) -> Context:
        persona = self.context.prepared.instance.persona
        return Context(
            world=self.episode.world,
            chain=self.episode.chain,
            now=self.agenda.now,
            actor=persona.id,
            role=persona.role,
            cause=cause,
            key=cause,
            acks=self._components.barrier.stream,
            epoch=self.context.claim.epoch,
            armed=self.episode.has_event_faults,
        )
