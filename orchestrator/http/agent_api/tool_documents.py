"""Tools as the agent API lists them: for REST with method and path, for MCP with annotations and an output schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...agent.tools import FINISH, GET_OPERATION, REFUSE, SERVICE_HEALTH, WAIT, Tool

#: The orchestrator's own tools that change nothing.
_READING: Final = frozenset({GET_OPERATION.name, SERVICE_HEALTH.name})
#: Tools whose effects cannot be undone.
_DESTRUCTIVE: Final = frozenset({FINISH.name, REFUSE.name})
#: The results of the orchestrator's own tools.
_OWN_RESULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    WAIT.name: {"sim_now": {"type": "string"}, "waited_s": {"type": "integer"}},
    FINISH.name: {"ended": {"type": "boolean"}},
    REFUSE.name: {"ended": {"type": "boolean"}},
}


def rest_document(tool: Tool) -> dict[str, Any]:
    """Return a tool as `GET /tools` lists it."""
    path = f"/{tool.service}{tool.path}" if tool.service else f"/{tool.name}"
    return {
        "name": tool.name,
        "description": tool.description,
        "method": tool.method,
        "path": path,
        "places": dict(tool.places) if tool.service else dict.fromkeys(tool.parameters["properties"], "body"),
        "input_schema": tool.card["input_schema"],
        "output_schema": output_schema(tool),
    }


def mcp_document(tool: Tool) -> dict[str, Any]:
    """Return a tool as MCP's `tools/list` lists it."""
    reads = tool.reads or tool.name in _READING
    return {
        "name": tool.name,
        "title": tool.name.replace("_", " ").capitalize(),
        "description": tool.description,
        "inputSchema": tool.card["input_schema"],
        "outputSchema": output_schema(tool),
        "annotations": {
            "readOnlyHint": reads,
            "destructiveHint": tool.name in _DESTRUCTIVE,
            "idempotentHint": reads or tool.is_idempotent,
            "openWorldHint": False,
        },
    }


def output_schema(tool: Tool) -> dict[str, Any]:
    """Return the JSON Schema of the results that an agent can get from a tool.

    A service under strain may omit fields from an answer and list them, or accept a call and complete it
    later. So no field is required, and `status` may have a value that the service does not document.
    """
    fields: Mapping[str, Any] = tool.returns.get("properties", {}) or _OWN_RESULTS.get(tool.name, {})
    return {"type": "object", "properties": {name: _field(name, fields[name]) for name in fields}}


def _field(name: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "string"} if name == "status" else schema
