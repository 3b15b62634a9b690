"""A fault injected into a call, and the ways in which the call can end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from companyos.chassis.web.injected_responses import injected_response
from companyos.sdk.chaos import FaultId, FaultPlan, Incident

from ..agent.intents import Calls
from ..agent.observations import StepResult, answered_badly, how_to_repeat, unanswered
from ..execution.step_execution import StepExecution
from ..execution.tool_calls import call_result, carry_out, operation_of
from ..progress.fault_memory import FaultMemory
from ..protocol.failures import Failure
from ..protocol.options import Latency
from ..protocol.trace_records import Fault

#: Simulated seconds per real second, if delays also pass in real time.
SLEPT_PACE: Final = 60


@dataclass(frozen=True)
class Injection:
    """An attempt at an operation, and the incident that hits it.

    Attributes:
        incident: An incident that begins here or, if it lasts, began at an earlier call.
    """

    intent: Calls
    execution: StepExecution
    plan: FaultPlan
    memory: FaultMemory
    incident: Incident

    @property
    def now(self) -> int:
        """Simulated time."""
        return self.execution.agenda.now

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters of the fault."""
        return self.incident.params

    @property
    def lasts(self) -> Mapping[str, Any] | None:
        """The duration of the incident, as noted when it last hit a call; None if it begins here."""
        return self.memory.lasting.get((self.incident.fault, self.incident.where))

    @property
    def began_at(self) -> int:
        """The step at which the incident began."""
        landed = self.execution.context.progress.history.landed
        return landed.get((self.incident.fault, self.incident.where), self.execution.number)

    def drawn(self, name: str, options: Sequence[Any]) -> Any:
        """Return one of the options, always the same for this incident."""
        return self.plan.draw(self.incident, name, options)

    def fault(self, **memo: Any) -> Fault:
        """Return the incident as this step records it, with the state that later steps need."""
        where = self.incident.where
        spoilt = self.execution.context.progress.history.attempts.get((where[0], where[1], where[2]), 0)
        return Fault(FaultId(self.incident.fault), where, spoilt, memo)

    async def pass_time(self, seconds: int) -> None:
        """Add this much time to the call."""
        if self.execution.episode.start.latency is Latency.SLEPT:
            await asyncio.sleep(seconds / SLEPT_PACE)
        await self.execution.advance(self.now + seconds)

    async def carried_out(self, *, hold: bool = False) -> StepResult:
        """Make the call without the fault."""
        return await carry_out(self.intent, self.execution, hold=hold)

    async def refused(self, code: str, after_s: int = 0, **memo: Any) -> StepResult:
        """Make the service answer with this failure or refusal."""
        tool = self.intent.tool
        answer = await self.execution.call(
            tool.service,
            tool.request(self.intent.arguments),
            injected_response=injected_response(code, after_s),
        )
        if answer.problem is None or answer.code != code:
            return call_result(self.intent, answer)
        result = answered_badly(tool.name, answer.problem, again=self._how_to_repeat)
        return replace(result, operation=operation_of(self.intent), fault=self.fault(**memo))

    def not_sent(self, failure: Failure, **memo: Any) -> StepResult:
        """Lose the request."""
        return replace(self._unheard(failure), operation=operation_of(self.intent), fault=self.fault(**memo))

    async def not_heard(self, failure: Failure, **memo: Any) -> StepResult:
        """Make the call and lose its answer; its effects are graded."""
        done = await self.carried_out()
        error = self._unheard(failure).error
        return replace(done, result=None, error=error, text=None, fault=self.fault(**memo))

    def _unheard(self, failure: Failure) -> StepResult:
        tool = self.intent.tool
        return unanswered(tool.name, tool.service, failure, again=self._how_to_repeat)

    @property
    def _how_to_repeat(self) -> str:
        return how_to_repeat(self.intent.arguments, idempotent=self.intent.tool.is_idempotent)
