"""Parses a model's reply into actions, one for each tool call, native or in text."""

import re
from dataclasses import dataclass
from typing import Final

from companyos.client.formats.text_calls import text_call
from companyos.client.model_output import action_of, raw_text
from companyos.sdk.scenario import Action

from .endpoint import ModelReply
from .settings import ToolMode

#: How models mark a call that they write as text; a server with the right tool parser turns it into a native call.
_CALL_MARK: Final = re.compile(
    r"\[TOOL_(?:REQUEST|CALLS)\]|</?(?:\w+:)?(?:tool_calls?|function_calls?|invoke)\b"
    r"|<function=|<\|python_tag\|>|<\|tool_call|<｜tool▁call|\bto=functions\."
    r"|\{\s*\"(?:tool_name|name|function|tool|action)\"",
)
#: How endpoints say that an answer reached its limit of tokens.
CUT: Final = frozenset({"length", "max_tokens"})
#: How they say that they withheld the rest of an answer.
_WITHHELD: Final = frozenset({"content_filter", "refusal", "safety"})
TEXT_CALL_HINT: Final = (
    "the model writes its calls as text: use --tool-mode json, or start the server with its tool parser"
)


@dataclass(frozen=True)
class Intent:
    """The actions of a reply, and the text around them.

    Attributes:
        actions: At least one; a reply without a call is an invalid action that holds its text.
        text: What the model said besides the calls.
        reasoning: What it reasoned, in a field of its own or in marks.
        hint: What makes the model play as it is meant to, if it does not.
    """

    actions: list[Action]
    text: str = ""
    reasoning: str = ""
    hint: str = ""


def intent_of(reply: ModelReply, mode: ToolMode) -> Intent:
    """Return the intent of a reply.

    Args:
        reply: A reply that is not empty.
        mode: How the model was told to call tools.
    """
    found = text_call(reply.content)
    reasoning = "\n\n".join(part.strip() for part in (reply.reasoning, found.reasoning) if part.strip())
    if reply.calls:
        text = reply.content if found.action else found.text
        actions = [action_of(call) for call in reply.calls]
        return Intent(actions, text.strip(), reasoning, _stop_hint(reply, actions[-1]))
    if reply.refusal:
        return Intent([action_of(reply.refusal)], "", reasoning, f"the model refused: {reply.refusal}")
    action = action_of(reply.content)
    is_native = mode is ToolMode.NATIVE
    if is_native and not found.is_bare:
        # Beside other text it may be a thought; a model that calls tools natively is held to that.
        action = {"type": "invalid", "raw": raw_text(reply.content)}
    hint = _stop_hint(reply, action) or (
        TEXT_CALL_HINT if is_native and _CALL_MARK.search(reply.content) else ""
    )
    is_call = action.get("type") != "invalid"
    return Intent([action], found.text if is_call else "", reasoning if is_call else reply.reasoning, hint)


def _stop_hint(reply: ModelReply, action: Action) -> str:
    """Return why the last action of a reply is incomplete, if it is and its endpoint stopped it."""
    arguments = action.get("arguments")
    is_open = isinstance(arguments, str) and not arguments.rstrip().endswith("}")
    if action.get("type") != "invalid" and not is_open:
        return ""
    if reply.stop_reason in CUT:
        return f"an answer was cut at its limit of tokens ({reply.stop_reason}): raise --answer-tokens"
    is_withheld = reply.stop_reason in _WITHHELD
    return f"the endpoint withheld the rest of an answer ({reply.stop_reason})" if is_withheld else ""
