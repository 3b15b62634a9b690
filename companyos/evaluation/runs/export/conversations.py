"""Episodes as conversations: the messages of a chat, with the tools as the agent saw them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import orjson

from companyos.client.formats.text_calls import text_call

from ..folder import Run
from ..records import EpisodeRecord

Message = dict[str, Any]
Step = Mapping[str, Any]


@dataclass(frozen=True)
class Conversation:
    """An episode as a chat.

    Attributes:
        prompt: The messages before the agent's first: the system prompt, if it had one, and the task.
        messages: The rest, from the agent's first message to its last; arguments of calls are objects. What the agent
            reasoned is in `reasoning_content`.
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
    def spoken(self) -> tuple[Message, ...]:
        """The messages without the agent's hidden reasoning, which no format trains on unless it says so."""
        return tuple(
            {name: value for name, value in one.items() if name != "reasoning_content"}
            for one in self.messages
        )

    @property
    def digest(self) -> str:
        """A digest of what was said, equal for conversations that differ in reasoning at most."""
        content = [self.prompt, self.spoken, self.tools]
        return blake2b(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()


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


def successes(runs: Iterable[Run]) -> Iterator[Conversation]:
    """Yield the distinct conversations of all successful episodes; raises the same error."""
    return (one for one in conversations_of(runs) if one.record.success)


def _conversation(run: Run, record: EpisodeRecord, *, in_text: bool) -> Conversation:
    trajectory = run.trajectory(record.key)
    try:
        messages = [
            one for steps in _said_together(trajectory["steps"]) for one in _messages(steps, in_text=in_text)
        ]
        tools = () if in_text else tuple(trajectory["agent"].get("tool_definitions", ()))
        indexes = [index for index, one in enumerate(messages) if one["role"] == "assistant"]
        first, last = indexes[0], indexes[-1]
    except (LookupError, TypeError, AttributeError) as failure:
        raise run.damaged_trajectory(record.key, failure) from None
    return Conversation(
        prompt=tuple(messages[:first]),
        messages=tuple(messages[first : last + 1]),
        tools=tools,
        record=record,
        agent=run.request.agent.name,
    )


def _said_together(steps: Iterable[Step]) -> Iterator[list[Step]]:
    """Yield the steps by message: all calls that the agent made in one message are together."""
    together: list[Step] = []
    for step in steps:
        continues = step.get("extra", {}).get("same_message") and step.get("tool_calls")
        if together and not (continues and together[-1].get("tool_calls")):
            yield together
            together = []
        together.append(step)
    if together:
        yield together


def _messages(steps: Sequence[Step], *, in_text: bool) -> Iterator[Message]:
    """Yield one message and, if the agent said it, the results of its calls."""
    role = "assistant" if steps[0]["source"] == "agent" else steps[0]["source"]
    text = "\n\n".join(filter(None, (step["message"] for step in steps)))
    thoughts = [step["reasoning_content"] for step in steps if step.get("reasoning_content")]
    calls = [call for step in steps for call in step.get("tool_calls", ())]
    if role == "assistant" and not calls and (found := text_call(text)).reasoning:
        # What was no call was recorded as it was written, with its reasoning marks.
        text, thoughts = found.text, [*thoughts, found.reasoning]
    reasoning = {"reasoning_content": "\n\n".join(thoughts)} if thoughts else {}
    if in_text or not calls:
        yield {"role": role, "content": "\n".join(filter(None, (text, *map(_as_text, calls)))), **reasoning}
    else:
        yield {"role": role, "content": text, **reasoning, "tool_calls": [_call(one) for one in calls]}
    for step in steps:
        for result in step.get("observation", {}).get("results", ()):
            yield _result(result, calls, in_text=in_text)


def _call(call: Mapping[str, Any]) -> Message:
    function = {"name": call["function_name"], "arguments": call["arguments"]}
    return {"id": call["tool_call_id"], "type": "function", "function": function}


def _result(result: Mapping[str, Any], calls: Iterable[Mapping[str, Any]], *, in_text: bool) -> Message:
    call_id = result.get("source_call_id")
    name = next((one["function_name"] for one in calls if one["tool_call_id"] == call_id), None)
    if in_text or name is None:
        return {"role": "user", "content": result["content"]}
    return {"role": "tool", "tool_call_id": call_id, "name": name, "content": result["content"]}


def _as_text(call: Mapping[str, Any]) -> str:
    return json.dumps(
        {"tool_name": call["function_name"], "arguments": call["arguments"]}, ensure_ascii=False
    )
