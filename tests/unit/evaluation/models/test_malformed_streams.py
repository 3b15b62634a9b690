"""Streams with a value of another type than their format has: the call in them is read, or the stream refused."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from companyos.client.formats.tool_calls import reasoning_of
from companyos.evaluation.models.endpoint import ModelReply
from companyos.evaluation.models.formats import anthropic_format, openai_format
from companyos.evaluation.models.formats.openai_format import completion_of
from companyos.evaluation.models.formats.streamed import answer_of

Place = tuple[str | int, ...]
CALL = {"name": "desk_look", "arguments": '{"ticket_id": "TD-1"}'}
COMPLETION: list[Any] = [
    {
        "choices": [
            {"index": 0, "delta": {"role": "assistant", "content": "I look", "reasoning_content": "Hm."}}
        ]
    },
    {"choices": [{"index": 0, "delta": {"reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]}}]},
    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "a", "function": CALL}]}}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 3}},
]
MESSAGE: list[Any] = [
    {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {"input_tokens": 3}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I look"}},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "name": "desk_look", "id": "a"},
    },
    {"type": "content_block_delta", "index": 1, "delta": {"partial_json": '{"ticket_id": "TD-1"}'}},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}},
]
LINES: list[Any] = [
    {"model": "m", "message": {"role": "assistant", "content": "I look"}, "done": False},
    {"model": "m", "message": {"tool_calls": [{"function": CALL}]}, "done": True, "eval_count": 2},
]
OTHER_VALUES = [None, True, 0, 1.5, "", "x", [], {}, [1], [None], [[]], {"a": 1}, 10**30]


def as_events(events: list[Any]) -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in [*events]) + "data: [DONE]\n\n"


def as_lines(events: list[Any]) -> str:
    return "\n".join(map(json.dumps, events))


FORMATS: dict[str, tuple[list[Any], Callable[[list[Any]], str], Callable[..., ModelReply | None]]] = {
    "chat completions": (COMPLETION, as_events, openai_format.reply_of),
    "Anthropic": (MESSAGE, as_events, anthropic_format.reply_of),
    "Ollama": (LINES, as_lines, openai_format.reply_of),
}


def places_in(value: Any, above: Place = ()) -> Iterator[Place]:
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for name, child in children:
        yield (*above, name)
        yield from places_in(child, (*above, name))


def with_other_value(events: list[Any], place: Place, value: Any) -> list[Any]:
    changed = deepcopy(events)
    *above, last = place
    inner: Any = changed
    for name in above:
        inner = inner[name]
    inner[last] = deepcopy(value)
    return changed


@pytest.mark.parametrize("name", FORMATS)
def test_a_stream_with_any_other_value_anywhere_is_an_answer_or_refused(name: str) -> None:
    events, written, reply_of = FORMATS[name]
    outcomes = set()

    for place in places_in(events):
        for value in OTHER_VALUES:
            try:
                answer = answer_of(written(with_other_value(events, place, value)))
            except ValueError:
                outcomes.add("refused")
            else:
                outcomes.add(type(reply_of(completion_of(answer), None)))

    assert outcomes <= {"refused", ModelReply, type(None)}
    assert ModelReply in outcomes


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("chat completions", (0, "choices"), "x"),
        ("chat completions", (0, "choices", 0, "delta"), "I look"),
        ("chat completions", (3, "usage"), "none"),
        ("Anthropic", (0, "message", "usage"), 0),
        ("Anthropic", (2, "delta"), "I look"),
        ("Anthropic", (5, "usage"), [5]),
        ("Anthropic", (1, "index"), None),
    ],
    ids=str,
)
def test_a_call_is_not_lost_over_what_stands_around_it(name: str, place: Place, value: Any) -> None:
    events, written, reply_of = FORMATS[name]

    reply = reply_of(answer_of(written(with_other_value(events, place, value))), None)

    assert reply is not None
    assert "desk_look" in str(reply.calls)


@pytest.mark.parametrize("kind", [["reasoning"], {}, None, 1])
def test_a_part_of_no_known_type_holds_no_reasoning(kind: Any) -> None:
    assert reasoning_of({"content": [{"type": kind, "text": "Hm."}]}) == ""
