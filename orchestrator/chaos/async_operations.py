"""Asynchronous operations: accepted and completed later, or stopped halfway."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from companyos.chassis.world.public_ids import public_id, public_operation_id
from companyos.sdk.simtime import to_iso

from ..agent.observations import StepResult
from ..execution.step_execution import StepExecution
from .injection import Injection

Document = Mapping[str, Any]
_ACCEPTED: Final = (
    "The call takes effect as of now: evidence that expires before it completes still counts. get_operation returns "
    "its result."
)
_ALL: Final = {"limit": 200}


async def accept(injection: Injection) -> StepResult:
    """Carry out the call, and reveal its outcome only on a later request."""
    done = await injection.carried_out()
    error = done.error
    operation = {
        "id": _operation_id(injection),
        "status": "failed" if error else "succeeded",
        "ready_at": injection.now + injection.params["after_s"],
        "result": done.result,
        "error": error.document if error else None,
    }
    accepted = {"status": "accepted", "operation_id": operation["id"], "detail": _ACCEPTED}
    return replace(done, result=accepted, error=None, text=None, fault=injection.fault(operation=operation))


async def stop_halfway(injection: Injection) -> StepResult:
    """Carry out the service's own part of a call, and defer the other services' reactions."""
    done = await injection.carried_out(hold=True)
    waiting = [{**awaited, "event": public_id(awaited["event"])} for awaited in injection.execution.awaited]
    if not waiting:
        return done
    operation = {"id": _operation_id(injection), "status": "incomplete", "waiting": waiting}
    operation_now = {"id": operation["id"], "status": operation["status"]}
    result = done.result
    shown_now = result if isinstance(result, Mapping) else {"result": result}
    shown_now = {**shown_now, "operation": operation_now}
    return replace(done, result=shown_now, fault=injection.fault(operation=operation))


async def release(operation: Document, execution: StepExecution) -> None:
    """Replay the deferred reactions of an operation."""
    tools = execution.context.catalog.tools
    for service in sorted({one["service"] for one in operation["waiting"]}):
        events = {one["event"] for one in operation["waiting"] if one["service"] == service}
        listed = await execution.run(tools[f"{service}_list_undelivered"], _ALL, label=f"look.{service}")
        objects = sorted({item["object_id"] for item in listed["items"] if item["id"] in events})
        for object_id in objects:
            replay = tools[f"{service}_replay_events"]
            await execution.run(replay, {"object_id": object_id}, label=f"replay.{service}.{object_id}")
    await execution.advance(execution.agenda.now)


def shown(operation: Document, now: int) -> dict[str, Any]:
    """Return the state of an operation, as `get_operation` shows it."""
    if operation.get("ready_at", now) > now:
        return {
            "operation_id": operation["id"],
            "status": "running",
            "ready_at": to_iso(operation["ready_at"]),
        }
    outcome = {name: operation[name] for name in ("result", "error") if operation.get(name) is not None}
    waiting = {"waiting": operation["waiting"]} if operation["status"] == "incomplete" else {}
    return {"operation_id": operation["id"], "status": operation["status"], **outcome, **waiting}


def _operation_id(injection: Injection) -> str:
    return public_operation_id(f"s{injection.execution.number}")
