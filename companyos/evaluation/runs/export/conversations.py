"""Episodes as conversations: the messages of a chat, with the tools as the agent saw them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import orjson

from ..folder import FolderUnusable, Run
from ..records import EpisodeRecord

Message = dict[str, Any]


@dataclass(frozen=True)
class Conversation:
    """An episode as a chat.

    Attributes:
        prompt: The messages before the agent's first: the system prompt, if it had one, and the task.
        messages: The rest, from the agent's first message to its last; arguments of calls are objects.
        tools: The tools in OpenAI function format; empty if the system prompt describes them.
        record: The record of the episode.
        agent: The agent's name.
    """

    prompt: tuple[Message, ...]
    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...]
    record: EpisodeRecord
    agent: str

    @property
    def task(self) -> str:
        """The text of the task, which the first user message holds."""
        return next((str(one["content"]) for one in self.prompt if one["role"] == "user"), "")

    @property
    def digest(self) -> str:
        """A digest of all messages, equal for equal conversations."""
        said = [self.prompt, self.messages, self.tools]
        return blake2b(orjson.dumps(said, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()


def conversations_of(runs: Iterable[Run]) -> Iterator[Conversation]:
    """Yield the distinct conversations of all scored episodes in which the agent said anything.

    Raises:
        FolderUnusable: A trajectory cannot be read.
    """
    seen: set[str] = set()
    for run in runs:
        in_text = run.request.agent.settings.get("tool_mode") == "json"
        for record in sorted(run.episodes, key=lambda record: record.key):
            if not (record.is_scored and record.steps):
                continue
            found = _conversation(run, record, in_text=in_text)
            if found.digest not in seen:
                seen.add(found.digest)
                yield found


def _conversation(run: Run, record: EpisodeRecord, *, in_text: bool) -> Conversation:
    trajectory = run.trajectory(record.key)
    try:
        messages = [one for step in trajectory["steps"] for one in _messages(step, in_text=in_text)]
        tools = () if in_text else tuple(trajectory["agent"].get("tool_definitions", ()))
    except (KeyError, TypeError) as failure:
        raise FolderUnusable(f"the trajectory of {record.key} in {run.path} is none: {failure!r}") from None
    indexes = [index for index, one in enumerate(messages) if one["role"] == "assistant"]
    first, last = indexes[0], indexes[-1]
    return Conversation(
        prompt=tuple(messages[:first]),
        messages=tuple(messages[first : last + 1]),
        tools=tools,
        record=record,
        agent=run.request.agent.name,
    )


def _messages(step: Mapping[str, Any], *, in_text: bool) -> Iterator[Message]:
    """Yield the messages of one step: what was said, and the result if the agent said it."""
    if step["source"] != "agent":
        yield {"role": step["source"], "content": step["message"]}
        return
    calls = step.get("tool_calls", ())
    if in_text and calls:
        yield {"role": "assistant", "content": _as_text(step["message"], calls[0])}
    elif calls:
        yield {"role": "assistant", "content": step["message"], "tool_calls": [_call(one) for one in calls]}
    else:
        yield {"role": "assistant", "content": step["message"]}
    for result in step.get("observation", {}).get("results", ()):
        yield _result(result, calls, in_text=in_text)


def _call(told: Mapping[str, Any]) -> Message:
    function = {"name": told["function_name"], "arguments": told["arguments"]}
    return {"id": told["tool_call_id"], "type": "function", "function": function}


def _result(result: Mapping[str, Any], calls: Iterable[Mapping[str, Any]], *, in_text: bool) -> Message:
    call_id = result.get("source_call_id")
    name = next((one["function_name"] for one in calls if one["tool_call_id"] == call_id), None)
    if in_text or name is None:
        return {"role": "user", "content": result["content"]}
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": result["content"]}


def _as_text(said: str, call: Mapping[str, Any]) -> str:
    spoken = json.dumps(
        {"tool_name": call["function_name"], "arguments": call["arguments"]}, ensure_ascii=False
    )
    return f"{said}\n{spoken}" if said else spoken
