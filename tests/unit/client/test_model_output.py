"""The client takes what a model said: a call in any of the usual forms, or words, which are reported as they are."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from companyos.client.model_output import MAX_RAW, action_of

CALL = {"tool_name": "desk_get", "arguments": {"id": "T1"}}
FUNCTION = {"name": "desk_get", "arguments": '{"id": "T1"}'}
SPOKEN = {"tool_name": "desk_get", "arguments": '{"id": "T1"}'}


@pytest.mark.parametrize(
    ("said", "action"),
    [
        (CALL, CALL),
        (json.dumps(CALL), CALL),
        (f"```json\n{json.dumps(CALL)}\n```", CALL),
        (f"<tool_call>\n{json.dumps({'name': 'desk_get', 'arguments': {'id': 'T1'}})}\n</tool_call>", CALL),
        ({"id": "call_1", "type": "function", "function": FUNCTION}, SPOKEN),
        ({"role": "assistant", "content": None, "tool_calls": [{"function": FUNCTION}]}, SPOKEN),
        ({"role": "assistant", "content": json.dumps(CALL)}, CALL),
        ({"type": "tool_use", "id": "1", "name": "desk_get", "input": {"id": "T1"}}, CALL),
        ({"name": "finish"}, {"tool_name": "finish", "arguments": {}}),
        (SimpleNamespace(type="function", function=SimpleNamespace(**FUNCTION)), SPOKEN),
        (SimpleNamespace(model_dump=lambda: {"function": FUNCTION}), SPOKEN),
        ({"app": "desk", "method": "get"}, {"app": "desk", "method": "get"}),
        ({"tool_name": "desk_get", "thoughts": "…"}, {"tool_name": "desk_get", "thoughts": "…"}),
        ({"type": "list_tools"}, {"type": "list_tools"}),
        ({"type": "invalid", "raw": "no"}, {"type": "invalid", "raw": "no"}),
    ],
)
def test_a_call_is_read_in_every_form_that_chat_libraries_have(said: Any, action: dict[str, Any]) -> None:
    assert action_of(said) == action


@pytest.mark.parametrize(
    ("said", "raw"),
    [
        ("I would look first.", "I would look first."),
        ("", ""),
        ("null", "null"),
        ({}, "{}"),
        ({"message": "hello"}, '{"message": "hello"}'),
        ({"type": "reset"}, '{"type": "reset"}'),
        ({"tool_name": ""}, '{"tool_name": ""}'),
        (
            {"tool_calls": [{"function": FUNCTION}] * 2},
            json.dumps({"tool_calls": [{"function": FUNCTION}] * 2}),
        ),
        (None, "null"),
        (3, "3"),
        (["finish"], '["finish"]'),
        ("a\0b", "ab"),
        ("\ud800", "?"),
        ("x" * (MAX_RAW + 1), "x" * MAX_RAW),
    ],
)
def test_output_without_a_call_is_reported_verbatim(said: Any, raw: str) -> None:
    assert action_of(said) == {"type": "invalid", "raw": raw}


def nested(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "arguments",
    [
        {"n": float("nan")},
        {"n": object()},
        {"n": "\ud800"},
        {"n": "a\0"},
        {"n": nested(40)},
        {"n": [0] * 30_000},
    ],
)
def test_unsendable_arguments_are_reported_as_an_invalid_action(arguments: dict[str, Any]) -> None:
    action = action_of({"tool_name": "desk_get", "arguments": arguments})

    assert action["type"] == "invalid"
    json.dumps(action, allow_nan=False).encode()
