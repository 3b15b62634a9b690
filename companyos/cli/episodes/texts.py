"""Texts for players besides observations: tool descriptions, rewards, and the grade."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from companyos.client import Result

from .typed_calls import Tool

LEFT = "You left the episode."


def tool_text(tool: Tool) -> str:
    """Return a tool's description and its arguments, one on each line."""
    schema = tool["input_schema"]
    lines = [str(tool["description"])]
    for name, inner in schema.get("properties", {}).items():
        need = "required" if name in schema.get("required", ()) else "optional"
        options = f", one of {', '.join(map(str, inner['enum']))}" if "enum" in inner else ""
        lines.append(f"  {name}= ({need}{options}) {inner.get('description', '')}".rstrip())
    return "\n".join(lines)


def hint(near: Sequence[str]) -> str:
    """Return the likely meanings of an unknown word, or how to list all words."""
    return f"Did you mean {' or '.join(near)}?" if near else "Type help for all of them."


def reward_text(result: Result) -> str:
    """Return the reward of a step with its reasons, and the return so far."""
    reasons = ", ".join(f"{line['name']} {line['amount']:+g}" for line in result.metadata["reward_breakdown"])
    return f"[reward {result.reward:+g} ({reasons}), return {result.metadata['episode_return']:+g}]"


def grade_text(grade: Mapping[str, Any]) -> str:
    """Return the outcome of an episode, and the reasons if it is not a success."""
    if grade["invalid"]:
        return f"The episode is invalid and has no grade: {grade['invalid_reason']}"
    outcome = "Success" if grade["success"] else "No success"
    return "\n".join([f"{outcome}, return {grade['episode_return']:+g}.", *_failures(grade)])


def _failures(grade: Mapping[str, Any]) -> Iterator[str]:
    for line in grade["musts"]:
        if not line["holds"]:
            yield f"  not achieved: {line['name']}. {line['why']}"
    for line in grade["forbidden"]:
        if not line["kept"]:
            yield f"  forbidden, at step {line['broken_at']}: {line['name']}. {line['why']}"
    for line in grade["orders"]:
        if not line["kept"]:
            yield f"  in the wrong order, at step {line['broken_at']}: {line['name']}"
    if grade["collateral"]:
        yield f"  changed outside the task: {len(grade['collateral'])} rows"
    if not grade["finished"]:
        yield "  not finished: `finish` was not called"
