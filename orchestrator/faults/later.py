"""Operations that are not through when their call is answered: accepted for later, or stopped half-way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from companyos.simtime import to_iso

from ..calls import Done
from ..catalog import Catalog
from ..observations import Said
from ..turn import Turn
from .meeting import Meeting

Document = Mapping[str, Any]
_ALL: Final = {"limit": 200}


async def accept(meeting: Meeting) -> Done:
    """Carry the call out, and tell what came of it only when somebody asks later."""
    done = await meeting.carried_out()
    error = done.said.error
    operation = {
        "id": _operation_id(meeting),
        "status": "failed" if error else "succeeded",
        "ready_at": meeting.now + meeting.params["after_s"],
        "result": done.said.result,
        "error": error.document if error else None,
    }
    said = Said(meeting.intent.tool.name, {"status": "accepted", "operation_id": operation["id"]})
    return replace(done, said=said, fault=meeting.fault(operation=operation))


async def stop_halfway(meeting: Meeting) -> Done:
    """Carry out the part of a call that is the service's own, and hold back what others are to do about it."""
    done = await meeting.carried_out(hold=True)
    waiting = meeting.turn.awaited
    if not waiting:
        return done
    operation = {"id": _operation_id(meeting), "status": "incomplete", "waiting": waiting}
    told = {"id": operation["id"], "status": operation["status"]}
    result = done.said.result
    shown_now = result if isinstance(result, Mapping) else {"result": result}
    said = replace(done.said, result={**shown_now, "operation": told})
    return replace(done, said=said, fault=meeting.fault(operation=operation))


async def release(operation: Document, turn: Turn, catalog: Catalog) -> None:
    """Have those who react do what was held back."""
    for service in sorted({one["service"] for one in operation["waiting"]}):
        events = {one["event"] for one in operation["waiting"] if one["service"] == service}
        listed = await turn.run(catalog.tools[f"{service}_list_undelivered"], _ALL, label=f"look.{service}")
        objects = sorted({item["object_id"] for item in listed["items"] if item["id"] in events})
        for object_id in objects:
            replay = catalog.tools[f"{service}_replay_events"]
            await turn.run(replay, {"object_id": object_id}, label=f"replay.{service}.{object_id}")
    await turn.advance(turn.agenda.now)


def shown(operation: Document, now: int) -> dict[str, Any]:
    """Return how far an operation has come, as `get_operation` tells it."""
    if operation.get("ready_at", now) > now:
        return {
            "operation_id": operation["id"],
            "status": "running",
            "ready_at": to_iso(operation["ready_at"]),
        }
    outcome = {name: operation[name] for name in ("result", "error") if operation.get(name) is not None}
    waiting = {"waiting": operation["waiting"]} if operation["status"] == "incomplete" else {}
    return {"operation_id": operation["id"], "status": operation["status"], **outcome, **waiting}


def _operation_id(meeting: Meeting) -> str:
    return f"op-{meeting.turn.number}"
