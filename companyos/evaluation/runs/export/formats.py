"""Runs as training data: successful conversations, or pairs of a successful and a failed one."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from ..folder import Run
from .conversations import Conversation, Message, conversations_of, successes
from .rows import Row, whole, with_strings


def sft(runs: Iterable[Run]) -> Iterator[Row]:
    """Yield rows for supervised fine-tuning: `messages` and `tools`, typed the same in all rows."""
    for one in successes(runs):
        yield {"messages": _typed([*one.prompt, *one.spoken]), **_tools(one)}


def openai(runs: Iterable[Run]) -> Iterator[Row]:
    """Yield rows for OpenAI's fine-tuning: arguments are strings."""
    for one in successes(runs):
        messages = _typed([*one.prompt, *one.spoken])
        for message in messages:
            message.pop("name", None)
        is_parallel = any(len(message.get("tool_calls", ())) > 1 for message in messages)
        tools = {"tools": one.tools, "parallel_tool_calls": is_parallel} if one.tools else {}
        yield {"messages": messages, **tools}


def hf(runs: Iterable[Run]) -> Iterator[Row]:
    """Yield the rows of a Hugging Face data set, all with the same fields and types, and with the reasoning."""
    return (row for one in successes(runs) for row in whole(one))


def preferences(runs: Iterable[Run]) -> Iterator[Row]:
    """Yield pairs of a successful and a failed conversation of the same task, typed the same in all rows.

    A task's conversations are paired in order of their keys; each is used as often as necessary. The prompt
    and the tools are those of the failed conversation, because its agent is the one to train.
    """
    won: dict[tuple[Any, ...], list[Conversation]] = defaultdict(list)
    lost: dict[tuple[Any, ...], list[Conversation]] = defaultdict(list)
    for one in conversations_of(runs):
        task = (*one.record.instance, one.task, tuple(_name(tool) for tool in one.tools))
        (won if one.record.success else lost)[task].append(one)
    for task in won:
        yield from (_preference(chosen, rejected) for chosen, rejected in _paired(won[task], lost[task]))


def why_empty(form: str) -> str:
    """Return why runs have no row of a format, and what would make one."""
    if form == "preferences":
        return (
            "No pair: no task has both a successful and a failed episode with the same tools. "
            "Play each task several times, or add the run of another agent, such as the oracle."
        )
    return "No conversation: no scored episode succeeded."


def _tools(conversation: Conversation) -> Row:
    """Return the column of the tools, as JSON text, which TRL parses; none if there are no tools."""
    return {"tools": json.dumps(conversation.tools)} if conversation.tools else {}


def _typed(messages: Iterable[Message]) -> list[Message]:
    """Return messages whose fields have one type in all rows.

    Arrow types a column once: of arguments as objects it makes one object with the fields of all tools, and so
    fills each call with arguments that were never given.
    """
    return [with_strings(message) for message in messages]


def _paired(
    won: Sequence[Conversation], lost: Sequence[Conversation]
) -> Iterator[tuple[Conversation, Conversation]]:
    if won and lost:
        for chosen, rejected in zip_longest(won, lost):
            yield chosen or won[-1], rejected or lost[-1]


def _preference(chosen: Conversation, rejected: Conversation) -> Row:
    return {
        "prompt": _typed(rejected.prompt),
        "chosen": _typed(chosen.spoken),
        "rejected": _typed(rejected.spoken),
        **_tools(rejected),
    }


def _name(tool: Mapping[str, Any]) -> str:
    return str(tool["function"]["name"])


#: The formats by their names on the command line.
FORMATS: Final[Mapping[str, Callable[[Iterable[Run]], Iterator[Row]]]] = {
    "sft": sft,
    "preferences": preferences,
    "openai": openai,
    "hf": hf,
}
