"""The task over MCP for clients that do not show a server's `instructions`: a prompt, a resource, and a free tool.

Reading the task is no step: it changes nothing, takes no simulated time and leaves the trace as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..messages.jsonrpc_envelope import JsonRpcError, JsonRpcErrorCode

GET_TASK: Final = "get_task"
TASK_URI: Final = "companyos://task"
_TEXT: Final = "text/plain"
_DESCRIPTION: Final = (
    "Returns your task, as it was given at the start. Call it first if you were told of no task. "
    "It takes no time and changes nothing."
)
TASK_PROMPT: Final = {"name": "task", "title": "Task", "description": "The task to work on."}
TASK_RESOURCE: Final = {
    "uri": TASK_URI,
    "name": "task",
    "title": "Task",
    "description": "The task to work on.",
    "mimeType": _TEXT,
}
TASK_TOOL: Final = {
    "name": GET_TASK,
    "title": "Get task",
    "description": _DESCRIPTION,
    "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
    "outputSchema": {"type": "object", "properties": {"task": {"type": "string"}}},
    "annotations": {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
}


def messages(task: str) -> Mapping[str, Any]:
    """Return the prompt with the task."""
    content = {"type": "text", "text": task}
    return {"description": TASK_PROMPT["description"], "messages": [{"role": "user", "content": content}]}


def contents(task: str) -> Mapping[str, Any]:
    """Return the resource with the task."""
    return {"contents": [{"uri": TASK_URI, "mimeType": _TEXT, "text": task}]}


def task_result(task: str) -> Mapping[str, Any]:
    """Return the result of the tool."""
    return {
        "content": [{"type": "text", "text": task}],
        "structuredContent": {"task": task},
        "isError": False,
    }


def refuse_other_prompts(params: Mapping[str, Any]) -> None:
    """Refuse a request for a prompt that does not exist.

    Raises:
        JsonRpcError: The only prompt is `task`.
    """
    if params.get("name") != TASK_PROMPT["name"]:
        raise JsonRpcError(
            JsonRpcErrorCode.INVALID_PARAMS, "There is one prompt; params.name must be 'task'."
        )


def refuse_other_resources(params: Mapping[str, Any]) -> None:
    """Refuse a request for a resource that does not exist.

    Raises:
        JsonRpcError: The only resource is that of the task.
    """
    if params.get("uri") != TASK_URI:
        raise JsonRpcError(
            JsonRpcErrorCode.INVALID_PARAMS, f"There is one resource; params.uri must be {TASK_URI!r}."
        )
