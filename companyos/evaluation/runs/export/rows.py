"""The rows of a data set: whole conversations, or one row for each call, all with the same fields and types."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from .conversations import Conversation, Message

Row = Mapping[str, Any]
#: Returns the rows of a conversation.
RowsOf = Callable[[Conversation], Sequence[Row]]

_BLANK: Final[Message] = {
    "role": "",
    "content": "",
    "reasoning_content": "",
    "tool_calls": [],
    "tool_call_id": "",
    "name": "",
}


def whole(conversation: Conversation) -> list[Row]:
    """Return the conversation as one row, with `messages`."""
    return [{"messages": _uniform([*conversation.prompt, *conversation.messages]), **_facts(conversation)}]


def by_call(last: int) -> RowsOf:
    """Return the function that makes one row of each of the agent's messages, with `prompt` and `completion`.

    Args:
        last: How many exchanges, each a message of the agent with its results, a prompt has after the task; at least 1.
    """
    return partial(_rows_by_call, last=last)


def of_tools(names: Collection[str], rows_of: RowsOf) -> RowsOf:
    """Return the function that makes the rows that teach calls of these tools alone, and offers no others in them."""

    def made(conversation: Conversation) -> list[Row]:
        offered = tuple(tool for tool in conversation.tools if tool["function"]["name"] in names)
        return [
            row for row in rows_of(replace(conversation, tools=offered)) if _learned_tools(row) <= set(names)
        ]

    return made


def messages_of(row: Row) -> Sequence[Message]:
    """Return the messages of a row."""
    if "messages" in row:
        return list(row["messages"])
    return [
        *row["prompt"],
        *(one for name in ("completion", "chosen", "rejected") for one in row.get(name, ())),
    ]


def line_of(row: Row) -> str:
    """Return a row as one line of JSON."""
    return json.dumps(row, ensure_ascii=False) + "\n"


def with_strings(message: Message) -> Message:
    """Return a message whose calls have their arguments as JSON strings."""
    if "tool_calls" not in message:
        return dict(message)
    calls = [
        {**call, "function": {**call["function"], "arguments": json.dumps(call["function"]["arguments"])}}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _learned_tools(row: Row) -> set[str]:
    messages = row["messages"] if "messages" in row else messages_of({**row, "prompt": ()})
    return {call["function"]["name"] for message in messages for call in message["tool_calls"]}


def _rows_by_call(conversation: Conversation, *, last: int) -> list[Row]:
    return [
        {"prompt": prompt, "completion": [message], **facts}
        for prompt, message, facts in windows(conversation, last)
    ]


def windows(conversation: Conversation, last: int) -> list[tuple[list[Message], Message, Row]]:
    """Return for each of the agent's messages the prompt, with so many exchanges, the message, and where it is from."""
    task, facts = _uniform(conversation.prompt), _facts(conversation)
    exchanges = list(_exchanges(_uniform(conversation.messages)))
    return [
        (
            [*task, *(one for each in exchanges[max(0, index - last) : index] for one in each)],
            exchange[0],
            {**facts, "call": index + 1},
        )
        for index, exchange in enumerate(exchanges)
    ]


def _exchanges(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield each message of the agent with the results that follow it."""
    begins = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    for begin, end in zip(begins, [*begins[1:], len(messages)], strict=True):
        yield list(messages[begin:end])


def _uniform(messages: Sequence[Message]) -> list[Message]:
    return [{**_BLANK, **with_strings(message)} for message in messages]


def _facts(conversation: Conversation) -> Row:
    """Return where a row comes from, with the tools; a reset takes it as its options."""
    record = conversation.record
    return {
        "tools": json.dumps(conversation.tools),
        "agent": conversation.agent,
        "scenario": record.scenario,
        "version": record.version,
        "seed": record.seed,
        "chaos": str(record.chaos),
        "return": record.episode_return,
        "steps": record.steps,
    }
