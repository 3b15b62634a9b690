"""What an endpoint refuses by name: later requests of the run leave it out, or say it in another way."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .endpoint import RequestBody

#: Words with which endpoints refuse a field, whatever its value.
_REFUSED: Final = re.compile(
    r"unsupported|not (be )?(supported|permitted|allowed|accepted|available|implemented|enabled|valid for)"
    r"|(does not|do not|doesn't|don't|cannot) (support|accept|allow)|unrecogni[sz]ed|unknown|unexpected|extra|remove"
    r"|deprecated|forbidden|only (the default|\S+ is (allowed|supported))|may only be set"
    r"|cannot be (used|set|specified)"
    r"|instead|must not|prohibited",
    re.IGNORECASE,
)
_STREAM: Final = re.compile(
    r"(only|must|require\w*|enable|need\w*|support\w*)\b.{0,40}\bstream|non-?stream\w*.{0,40}not"
    r"|stream\w*.{0,20}(only|required)"
    r"|\bstream\b.{0,30}(must|should|has to|needs to)",
    re.IGNORECASE | re.DOTALL,
)
_SYSTEM: Final = re.compile(
    r"(system|developer) (role|message|prompt|instruction)s?\b.{0,20}\bnot\b|(not|n't) support.{0,20}\bsystem\b"
    r"|only user(,| and) (and )?assistant|roles must alternate|\bsystem\b.{0,20}not (supported|allowed)",
    re.IGNORECASE | re.DOTALL,
)
_ALTERNATIVES: Final = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
#: Without these there is no request.
_NEEDED: Final = frozenset({"model", "messages", "tools", "system", "stream"})
#: The fields of messages and calls that the protocol defines.
_DEFINED: Final = frozenset(
    {"role", "content", "tool_calls", "tool_call_id", "id", "type", "function", "name", "arguments"}
)


@dataclass
class RequestRules:
    """How requests to an endpoint differ from the usual form; shared by all agents of a run.

    Attributes:
        kept: Fields that the user asked for by name, whose refusal is an error.
        notes: What was changed, for the person who runs the agent.
    """

    kept: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list)
    _left_out: set[str] = field(default_factory=set)
    _left_out_of_messages: set[str] = field(default_factory=set)
    _renamed: dict[str, str] = field(default_factory=dict)
    _streams: bool = False
    _system_in_task: bool = False
    _arguments_as_text: bool = False

    def apply(self, request: RequestBody) -> RequestBody:
        """Return the request in the form that the endpoint accepts."""
        changed = {self._renamed.get(name, name): value for name, value in request.items()}
        changed = {name: value for name, value in changed.items() if name not in self._left_out}
        if self._streams:
            options = {} if "system" in request else {"stream_options": {"include_usage": True}}
            changed |= {"stream": True, **options}
            changed = {name: value for name, value in changed.items() if name not in self._left_out}
        changed["messages"] = [self._message(message) for message in request["messages"]]
        if self._system_in_task:
            changed["messages"] = _with_system_in_task(changed["messages"])
        return changed

    def learn(self, sent: RequestBody, words: str) -> bool:
        """Change the form of later requests so that this refusal does not come again; False if nothing helps.

        Args:
            sent: The request that was refused.
            words: All that the endpoint said about it.
        """
        if not self._streams and _STREAM.search(words):
            self._streams = True
            return self._note("it only streams, so answers are streamed")
        if not self._system_in_task and _SYSTEM.search(words) and sent["messages"][0].get("role") == "system":
            self._system_in_task = True
            return self._note("it refuses the system role, so the system prompt is part of the task")
        return (bool(_REFUSED.search(words)) and self._leave_out(sent, words)) or self._write_arguments(
            sent, words
        )

    def _leave_out(self, sent: RequestBody, words: str) -> bool:
        names = [name for name in sent if name not in _NEEDED | self.kept and _names(words, name)]
        # A refusal that names the alternative names both.
        for name in names[:1]:
            other = _ALTERNATIVES.get(name)
            if other and other not in self._left_out and self._renamed.get(other) != name:
                self._renamed[name] = other
                return self._note(f"it refuses `{name}`, so `{other}` is sent instead")
            self._left_out.add(name)
            return self._note(f"it refuses `{name}`, which is left out")
        fields = {name for message in sent["messages"] for name in _extra_fields(message)}
        refused = {name for name in fields if _names(words, name)}
        self._left_out_of_messages |= refused
        return bool(refused) and self._note(f"it refuses {', '.join(sorted(refused))} in messages, left out")

    def _write_arguments(self, sent: RequestBody, words: str) -> bool:
        if self._arguments_as_text or "arguments" not in words or "tool_calls" not in str(sent["messages"]):
            return False
        self._arguments_as_text = True
        return self._note("it wants arguments as JSON text")

    def _note(self, note: str) -> bool:
        self.notes.append(note)
        return True

    def _message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        kept = {name: value for name, value in message.items() if name not in self._left_out_of_messages}
        if "tool_calls" in kept:
            kept["tool_calls"] = [self._call(call) for call in kept["tool_calls"]]
        return kept

    def _call(self, call: Mapping[str, Any]) -> dict[str, Any]:
        kept = {name: value for name, value in call.items() if name not in self._left_out_of_messages}
        function = kept.get("function")
        if self._arguments_as_text and isinstance(function, Mapping):
            arguments = function.get("arguments") or {}
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            kept["function"] = {**function, "arguments": text}
        return kept


def _with_system_in_task(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    system, task, *rest = messages
    return [{**task, "content": f"{system['content']}\n\n{task['content']}"}, *rest]


def _extra_fields(message: Mapping[str, Any]) -> set[str]:
    calls = message.get("tool_calls") or ()
    names = {*message, *(name for call in calls if isinstance(call, Mapping) for name in call)}
    return names - _DEFINED


def _names(words: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", words) is not None
