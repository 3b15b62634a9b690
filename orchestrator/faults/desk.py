"""The orchestrator's own tools for whoever copes: the state of services and operations, and how to go on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from companyos.chaos import FaultId
from companyos.simtime import to_iso

from ..actions import OWN_APP
from ..calls import Done, Scene
from ..intents import Asks
from ..observations import Said, refused
from ..rewards import Call
from ..tools import GET_OPERATION, RENEW_SESSION, RESUME_OPERATION, SERVICE_HEALTH, Tool
from ..turn import Turn
from .conditions import hit
from .later import release, shown
from .memory import COMPLETE, Memory


async def ask(intent: Asks, turn: Turn, scene: Scene) -> Done:
    """Answer a call of one of these tools."""
    tool = intent.tool
    await turn.advance(turn.agenda.now + tool.tick)
    return await _ANSWERS[tool.name](intent, turn, scene)


async def _get_operation(intent: Asks, turn: Turn, scene: Scene) -> Done:
    operation = _memory(scene).operations.get(intent.subject)
    if operation is None:
        return _unknown(intent, "operation_unknown", f"There is no operation {intent.subject!r}.")
    return _told(intent, shown(operation, turn.agenda.now))


async def _resume_operation(intent: Asks, turn: Turn, scene: Scene) -> Done:
    operation = _memory(scene).operations.get(intent.subject)
    if operation is None:
        return _unknown(intent, "operation_unknown", f"There is no operation {intent.subject!r}.")
    if operation["status"] != "incomplete":
        return _told(intent, shown(operation, turn.agenda.now))
    await release(operation, turn, scene.catalog)
    return _told(intent, {"operation_id": operation["id"], "status": COMPLETE})


async def _renew_session(intent: Asks, _turn: Turn, scene: Scene) -> Done:
    if intent.subject not in scene.catalog.services:
        return _unknown_service(intent, scene)
    return _told(intent, {"service": intent.subject, "session": "valid"})


async def _service_health(intent: Asks, turn: Turn, scene: Scene) -> Done:
    if intent.subject and intent.subject not in scene.catalog.services:
        return _unknown_service(intent, scene)
    asked = [intent.subject] if intent.subject else scene.catalog.services
    memory, now = _memory(scene), turn.agenda.now
    return _told(intent, {"services": [_health(service, memory, scene, now) for service in asked]})


def _health(service: str, memory: Memory, scene: Scene, now: int) -> dict[str, Any]:
    tools = [tool for tool in scene.catalog.tools.values() if tool.service == service]
    troubles = dict(_troubles(service, memory, now))
    failing = [_failing(tool, memory, now) for tool in tools]
    told = {
        "service": service,
        "status": _status(troubles, any(failing)),
        "session": "expired" if FaultId.AUTH_EXPIRY in troubles else "valid",
        "operations": [one for one in failing if one],
    }
    until = troubles.get(FaultId.READ_ONLY)
    return told if until is None else {**told, "until": to_iso(until)}


def _troubles(service: str, memory: Memory, now: int) -> list[tuple[FaultId, int | None]]:
    """Return what is the matter with a whole service, with the end of it where that is known."""
    called = (service, "", "")
    found = [hit(memory, called, now, reads=reads) for reads in (True, False)]
    return [(origin[0], memory.lasting[origin].get("until")) for origin in found if origin is not None]


def _failing(tool: Tool, memory: Memory, now: int) -> dict[str, Any] | None:
    called = (tool.service, tool.operation, "")
    for (fault, where), lasts in memory.lasting.items():
        if fault is FaultId.BROWNOUT and where[:2] == called[:2] and now < lasts["until"]:
            return {"operation": tool.name, "until": to_iso(lasts["until"]), "instead": tool.instead}
    return None


def _status(troubles: Mapping[FaultId, int | None], failing: bool) -> str:
    if FaultId.RESTART in troubles:
        return "restarting"
    if FaultId.READ_ONLY in troubles:
        return "read_only"
    return "degraded" if failing else "ok"


def _memory(scene: Scene) -> Memory:
    return scene.company.memory or Memory()


def _told(intent: Asks, result: Mapping[str, Any]) -> Done:
    return Done(Said(intent.tool.name, result), operation=(OWN_APP, intent.tool.name, intent.subject))


def _unknown(intent: Asks, code: str, detail: str) -> Done:
    operation = (OWN_APP, intent.tool.name, intent.subject)
    return Done(refused(intent.tool.name, code, detail), Call.REFUSED, operation)


def _unknown_service(intent: Asks, scene: Scene) -> Done:
    known = ", ".join(scene.catalog.services)
    return _unknown(intent, "service_unknown", f"There is no service {intent.subject!r}. There are: {known}.")


_ANSWERS: Final[Mapping[str, Callable[[Asks, Turn, Scene], Awaitable[Done]]]] = {
    GET_OPERATION.name: _get_operation,
    RESUME_OPERATION.name: _resume_operation,
    RENEW_SESSION.name: _renew_session,
    SERVICE_HEALTH.name: _service_health,
}
