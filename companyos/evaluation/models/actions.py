"""Parses a model's reply into actions, one for each tool call, native or in text."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

from companyos.client.model_output import action_of
from companyos.scenario import Action

from .endpoint import ModelReply
from .settings import ToolMode

#: The most opening braces to try, so that text without JSON does not take forever to parse.
_MOST_TRIES: Final = 200
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True)
class Intent:
    """The actions of a reply, and the text around them.

    Attributes:
        actions: At least one; a reply without a call is an invalid action that holds its text.
        text: The reasoning, and the text around the calls.
    """

    actions: list[Action]
    text: str = ""


def intent_of(reply: ModelReply, mode: ToolMode, tools: Collection[str]) -> Intent:
    """Return the intent of a reply.

    Args:
        reply: A reply that is not empty.
        mode: How the model was told to call tools.
        tools: Names of the tools it was offered.
    """
    if reply.calls:
        return Intent([action_of(call) for call in reply.calls], _joined(reply.reasoning, reply.content))
    action, text = (action_of(reply.content), "")
    if mode is ToolMode.JSON and not _is_call(action):
        action, text = _call_within(reply.content, tools) or (action, "")
    return Intent([action], _joined(reply.reasoning, text))


def _call_within(text: str, tools: Collection[str]) -> tuple[Action, str] | None:
    """Return a text's first call of an offered tool, or else of any tool, and the text before it.

    What follows is ignored, because the model wrote it without knowing the call's result.
    """
    calls = list(_calls(text))
    offered = (found for found in calls if found[0].get("tool_name") in tools)
    return next(offered, calls[0] if calls else None)


def _calls(text: str) -> Iterator[tuple[Action, str]]:
    start = text.find("{")
    for _ in range(_MOST_TRIES):
        if start < 0:
            return
        found, end = _object_at(text, start)
        if isinstance(found, dict) and _is_call(action := action_of(found)):
            yield action, text[:start].strip()
        start = text.find("{", end)


def _object_at(text: str, start: int) -> tuple[Any, int]:
    """Return the JSON object at `start` and its end; None and the next position if there is none."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start + 1


def _is_call(action: Action) -> bool:
    return action.get("type") != "invalid"


def _joined(*parts: str) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip())
