"""Runs as training data: successful conversations, or pairs of a successful and a failed one."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from ..folder import Run
from .conversations import Conversation, Message, conversations_of

#: The data file in a folder of format `hf`.
DATA: Final = Path("data") / "train.jsonl"

Row = Mapping[str, Any]

_CARD: Final = """\
---
configs:
  - config_name: default
    data_files:
      - split: train
        path: {data}
tags:
  - companyos
  - tool-use
---

# Episodes of CompanyOS

{rows} successful conversations, without duplicates, of {agents} in {scenarios}. Each row has `messages` in chat format,
the `tools` as the agent saw them, and where it comes from. What the agent reasoned is apart from what it said, in
`reasoning_content`. `tools` and the arguments of calls are JSON in strings,
because their fields differ from row to row.
"""


def sft(runs: Iterable[Run]) -> Iterator[Row]:
    """Yield rows for supervised fine-tuning: `messages` and `tools`, typed the same in all rows."""
    for one in _successes(runs):
        yield {"messages": _typed([*one.prompt, *one.spoken]), **_tools(one)}


def openai(runs: Iterable[Run]) -> Iterator[Row]:
    """Yield rows for OpenAI's fine-tuning: arguments are strings."""
    for one in _successes(runs):
        messages = _typed([*one.prompt, *one.spoken])
        for message in messages:
            message.pop("name", None)
        is_parallel = any(len(message.get("tool_calls", ())) > 1 for message in messages)
        tools = {"tools": one.tools, "parallel_tool_calls": is_parallel} if one.tools else {}
        yield {"messages": messages, **tools}


def hf(runs: Iterable[Run]) -> Iterator[Row]:
    """Yield the rows of a Hugging Face data set, all with the same fields and types, and with the reasoning."""
    for one in _successes(runs):
        record = one.record
        yield {
            "messages": [_uniform(message) for message in [*one.prompt, *one.messages]],
            "tools": json.dumps(one.tools),
            "agent": one.agent,
            "scenario": record.scenario,
            "version": record.version,
            "seed": record.seed,
            "chaos": str(record.chaos),
            "return": record.episode_return,
            "steps": record.steps,
        }


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


def write_dataset(folder: Path, rows: Sequence[Row]) -> None:
    """Write the rows and a card to a folder that `datasets.load_dataset` reads and the Hub shows.

    Raises:
        OSError: It cannot be written.
    """
    (folder / DATA).parent.mkdir(parents=True, exist_ok=True)
    (folder / DATA).write_text("".join(line_of(row) for row in rows), encoding="utf-8")
    agents, scenarios = ({str(row[name]) for row in rows} for name in ("agent", "scenario"))
    card = _CARD.format(data=DATA, rows=len(rows), agents=_listed(agents), scenarios=_listed(scenarios))
    (folder / "README.md").write_text(card, encoding="utf-8")


def line_of(row: Row) -> str:
    """Return a row as one line of JSON."""
    return json.dumps(row, ensure_ascii=False) + "\n"


def _successes(runs: Iterable[Run]) -> Iterator[Conversation]:
    return (one for one in conversations_of(runs) if one.record.success)


def _tools(conversation: Conversation) -> Row:
    """Return the column of the tools, as JSON text, which TRL parses; none if there are no tools."""
    return {"tools": json.dumps(conversation.tools)} if conversation.tools else {}


def _typed(messages: Iterable[Message]) -> list[Message]:
    """Return messages whose fields have one type in all rows.

    Arrow types a column once: of arguments as objects it makes one object with the fields of all tools, and so
    fills each call with arguments that were never given.
    """
    return [_with_strings(message) for message in messages]


def _with_strings(message: Message) -> Message:
    """Return a message whose calls have their arguments as JSON strings."""
    if "tool_calls" not in message:
        return dict(message)
    calls = [
        {**call, "function": {**call["function"], "arguments": json.dumps(call["function"]["arguments"])}}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _uniform(message: Message) -> Message:
    blank: Message = {"role": "", "content": "", "reasoning_content": "", "tool_calls": []}
    blank |= {"tool_call_id": None, "name": None}
    return {**blank, **_with_strings(message)}


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


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "no agent"


#: The formats by their names on the command line.
FORMATS: Final[Mapping[str, Callable[[Iterable[Run]], Iterator[Row]]]] = {
    "sft": sft,
    "preferences": preferences,
    "openai": openai,
    "hf": hf,
}
