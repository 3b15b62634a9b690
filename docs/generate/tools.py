"""The page of tools."""

from typing import Any

from orchestrator.agent.tools import OWN_TOOLS
from services import manifests

from .bounds import bounds
from .markdown import cell, document, table
from .tool_results import results


def page() -> str:
    """Return the page."""
    own = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters, "tick": tool.tick}
        for tool in OWN_TOOLS
    ]
    sections = [_service_tools(manifest["title"], manifest["tools"]) for manifest in manifests()]
    text = (
        "The tools that agents call. A call is one step, and advances simulated time by the seconds of its tick. "
        "A field of a result is text unless a type follows it. Ids have at most 100 characters and texts at most "
        "4,000; tighter bounds, other limits and defaults are in parentheses after the type."
    )
    return document("Tools", text, *sections, _service_tools("Orchestrator", own))


def _service_tools(title: str, tools: list[dict[str, Any]]) -> str:
    returned = results(tools)
    return "\n\n".join([f"## {title}", *(_tool(tool, returned.get(tool["name"])) for tool in tools)])


def _tool(tool: dict[str, Any], result: str | None) -> str:
    parameters = tool["parameters"]
    required = set(parameters.get("required", []))
    rows = [
        f"| `{name}` | {_type(schema)} | {'yes' if name in required else ''} | {cell(schema.get('description', ''))} |"
        for name, schema in parameters.get("properties", {}).items()
    ]
    arguments = table(["argument", "type", "required", "meaning"], rows) if rows else "No arguments."
    tick = f" *Tick: {tool['tick']} s.*"
    lines = [f"### `{tool['name']}`", "", tool["description"] + tick, "", arguments]
    return "\n".join([*lines, "", result] if result else lines)


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return cell(" or ".join(f"`{value}`" for value in schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"])
    if schema.get("type") == "array":
        return f"array of {_type(schema.get('items', {}))}{bounds(schema)}"
    kind = schema.get("type", "any")
    return f"{kind if isinstance(kind, str) else ' or '.join(kind)}{bounds(schema)}"
