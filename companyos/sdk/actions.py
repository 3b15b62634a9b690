"""Actions and observations as agents exchange them with an environment, in the form of the trainer API."""

from collections.abc import Generator, Mapping
from typing import Any

Action = dict[str, Any]
Observation = Mapping[str, Any]
Script = Generator[Action, Observation, None]


def call(tool_name: str, /, **arguments: Any) -> Action:
    """Return the action that calls a tool."""
    return {"type": "call_tool", "tool_name": tool_name, "arguments": arguments}
