"""The orchestrator's own tools for recovery: health of services, state of operations, sessions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from companyos.sdk.chaos import FaultId
from companyos.sdk.simtime import to_iso

from ..agent.actions import OWN_APP
from ..agent.intents import Asks
from ..agent.observations import StepResult, refused
from ..agent.tools import GET_OPERATION, RENEW_SESSION, RESUME_OPERATION, SERVICE_HEALTH, Tool
from ..execution.step_execution import StepExecution
from ..progress.fault_memory import COMPLETE, FaultMemory
from .async_operations import release, shown
from .ongoing_incidents import ongoing_origin


async def ask(intent: Asks, execution: StepExecution) -> StepResult:
    """Answer a call of one of these tools."""
    tool = intent.tool
    await execution.advance(execution.agenda.now + tool.tick)
    return await _ANSWERS[tool.name](intent, execution)


async def _get_operation(intent: Asks, execution: StepExecution) -> StepResult:
    operation = _memory(execution).operations.get(intent.subject)
    if operation is None:
        return _unknown(intent, "operation_unknown", f"There is no operation {intent.subject!r}.")
    return _result(intent, shown(operation, execution.agenda.now))


async def _resume_operation(intent: Asks, execution: StepExecution) -> StepResult:
    operation = _memory(execution).operations.get(intent.subject)
    if operation is None:
        return _unknown(intent, "operation_unknown", f"There is no operation {intent.subject!r}.")
    if operation["status"] != "incomplete":
        return _result(intent, shown(operation, execution.agenda.now))
    await release(operation, execution)
    return _result(intent, {"operation_id": operation["id"], "status": COMPLETE})


async def _renew_session(intent: Asks, execution: StepExecution) -> StepResult:
    if intent.subject not in execution.context.catalog.services:
        return _unknown_service(intent, execution)
    return _result(intent, {"service": intent.subject, "session": "valid"})


async def _service_health(intent: Asks, execution: StepExecution) -> StepResult:
    if intent.subject and intent.subject not in execution.context.catalog.services:
        return _unknown_service(intent, execution)
    asked = [intent.subject] if intent.subject else execution.context.catalog.services
    return _result(intent, {"services": [_health(service, execution) for service in asked]})


def _health(service: str, execution: StepExecution) -> dict[str, Any]:
    memory, now = _memory(execution), execution.agenda.now
    tools = [tool for tool in execution.context.catalog.tools.values() if tool.service == service]
    ongoing = dict(_ongoing(service, memory, now))
    failing = [_failing(tool, memory, now) for tool in tools]
    health = {
        "service": service,
        "status": _status(ongoing, any(failing)),
        "session": "expired" if FaultId.AUTH_EXPIRY in ongoing else "valid",
        "operations": [one for one in failing if one],
    }
    until = ongoing.get(FaultId.READ_ONLY)
    return health if until is None else {**health, "until": to_iso(until)}


def _ongoing(service: str, memory: FaultMemory, now: int) -> list[tuple[FaultId, int | None]]:
    """Return the ongoing incidents of a whole service, each with its end if known."""
    called = (service, "", "")
    found = [ongoing_origin(memory, called, now, reads=reads) for reads in (True, False)]
    return [(origin[0], memory.lasting[origin].get("until")) for origin in found if origin is not None]


def _failing(tool: Tool, memory: FaultMemory, now: int) -> dict[str, Any] | None:
    called = (tool.service, tool.operation, "")
    for (fault, where), lasts in memory.lasting.items():
        if fault is FaultId.BROWNOUT and where[:2] == called[:2] and now < lasts["until"]:
            return {"operation": tool.name, "until": to_iso(lasts["until"]), "instead": tool.instead}
    return None


def _status(ongoing: Mapping[FaultId, int | None], failing: bool) -> str:
    if FaultId.RESTART in ongoing:
        return "restarting"
    if FaultId.READ_ONLY in ongoing:
        return "read_only"
    return "degraded" if failing else "ok"


def _memory(execution: StepExecution) -> FaultMemory:
    return execution.context.progress.memory or FaultMemory()


def _result(intent: Asks, result: Mapping[str, Any]) -> StepResult:
    return StepResult(intent.tool.name, result, operation=(OWN_APP, intent.tool.name, intent.subject))


def _unknown(intent: Asks, code: str, detail: str) -> StepResult:
    operation = (OWN_APP, intent.tool.name, intent.subject)
    return replace(refused(intent.tool.name, code, detail), operation=operation)


def _unknown_service(intent: Asks, execution: StepExecution) -> StepResult:
    known = ", ".join(execution.context.catalog.services)
    return _unknown(intent, "service_unknown", f"There is no service {intent.subject!r}. There are: {known}.")


_ANSWERS: Final[Mapping[str, Callable[[Asks, StepExecution], Awaitable[StepResult]]]] = {
    GET_OPERATION.name: _get_operation,
    RESUME_OPERATION.name: _resume_operation,
    RENEW_SESSION.name: _renew_session,
    SERVICE_HEALTH.name: _service_health,
}
