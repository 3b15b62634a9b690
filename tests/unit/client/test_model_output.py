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


ID = CALL["arguments"]
CALL_BY_NAME = {"name": "desk_get", "arguments": ID}
PART = {"type": "text", "text": "I look."}
#: Calls as programs record them.
RECORDED: dict[str, Any] = {
    "LangChain, structured chat": {"action": "desk_get", "action_input": ID},
    "LangChain, OllamaFunctions": {"tool": "desk_get", "tool_input": ID},
    "LangChain, message without calls": {"type": "ai", "content": json.dumps(CALL), "tool_calls": []},
    "LangChain, content block": {"content": [PART, {"type": "tool_call", "name": "desk_get", "args": ID}]},
    "Agent Zero": {"thoughts": ["Hm."], "headline": "Look", "tool_name": "desk_get", "tool_args": ID},
    "DSPy": {"next_thought": "Hm.", "next_tool_name": "desk_get", "next_tool_args": ID},
    "LlamaIndex": {"tool_id": "c", "tool_name": "desk_get", "tool_kwargs": ID},
    "Inspect": {"id": "c", "function": "desk_get", "arguments": ID, "type": "function"},
    "Vercel AI": {
        "role": "assistant",
        "content": [{"type": "tool-call", "toolName": "desk_get", "input": ID}],
    },
    "Pydantic AI": {
        "parts": [{"part_kind": "thinking"}, {"part_kind": "tool-call", "tool_name": "desk_get", "args": ID}]
    },
    "models": {"tool": "desk_get", "args": ID},
    "models, function": {"function": "desk_get", "parameters": ID},
    "models, tool_call": {"tool_call": {"name": "desk_get", "arguments": ID}},
    "OpenAI, legacy": {
        "role": "assistant",
        "content": "",
        "function_call": {"name": "desk_get", "arguments": ID},
    },
    "OpenAI, completion": {
        "choices": [{"message": {"role": "assistant", "tool_calls": [{"function": CALL_BY_NAME}]}}]
    },
    "OpenAI, Responses": {"output": [{"type": "reasoning"}, {"type": "function_call", **CALL_BY_NAME}]},
    "OpenAI, output of Responses": [{"type": "reasoning"}, {"type": "function_call", **CALL_BY_NAME}],
    "Ollama": {"message": {"role": "assistant", "content": "", "tool_calls": [{"function": CALL_BY_NAME}]}},
    "Gemini": {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [
                        {"text": "Hm.", "thought": True},
                        {"functionCall": {"name": "desk_get", "args": ID}, "thoughtSignature": "x"},
                    ],
                }
            }
        ]
    },
    "Gemini, Python": {
        "role": "model",
        "parts": [PART, {"function_call": {"name": "desk_get", "args": ID}, "text": None}],
    },
    "Bedrock": {
        "output": {
            "message": {
                "role": "assistant",
                "content": [PART, {"toolUse": {"name": "desk_get", "input": ID}}],
            }
        }
    },
    "MCP": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL_BY_NAME},
    "text in parts": {
        "role": "assistant",
        "content": [
            {"type": "thinking", "text": "Hm."},
            {"type": "text", "text": json.dumps(CALL)},
        ],
    },
}


@pytest.mark.parametrize("form", RECORDED)
def test_a_call_is_read_as_a_program_records_it(form: str) -> None:
    assert action_of(RECORDED[form]) == CALL


@pytest.mark.parametrize(
    "form", ["LangChain, structured chat", "LangChain, OllamaFunctions", "models", "models, function"]
)
def test_a_recorded_call_within_text_is_a_call(form: str) -> None:
    assert action_of(f"I look first.\n```json\n{json.dumps(RECORDED[form])}\n```") == CALL


@pytest.mark.parametrize(
    "said",
    [
        {"tool": "desk_get", "name": "refuse", "arguments": {}},
        {"tool": "hammer", "price": 3},
        {"action": "approve", "reason": "late"},
        {"type": "function", "function": {"name": "refuse", "parameters": {"type": "object"}}},
        {
            "candidates": [
                {"content": {"parts": [{"functionCall": {"name": name}} for name in ("refuse", "finish")]}}
            ]
        },
        {"choices": [{"message": {"role": "assistant", "content": json.dumps(CALL)}}] * 2},
        {"role": "assistant", "content": [{"type": "thinking", "text": json.dumps(CALL)}]},
        {"role": "assistant", "content": None, "reasoning_content": json.dumps(CALL)},
    ],
)
def test_a_call_that_names_two_tools_or_none_is_a_slip(said: dict[str, Any]) -> None:
    assert action_of(said)["type"] == "invalid"


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


@pytest.mark.parametrize(
    "arguments",
    [
        "{'id': 'T1'}",
        '{"id": "T1",}',
        "{id: 'T1'}",
        "{“id”: “T1”}",
        '{"id": "T1"}}',
        ' {"id": "T1", /* it */}\n',
    ],
)
def test_arguments_in_text_near_json_are_read(arguments: str) -> None:
    assert action_of({"function": {"name": "desk_get", "arguments": arguments}}) == CALL
    assert action_of({"tool_name": "desk_get", "arguments": arguments}) == CALL


@pytest.mark.parametrize(
    "arguments",
    ['{"id": "T', "id: T1", '{"id": "T1"}{"id": "T1"}', "T1", "[" * 100_000, "{'id': 'T1', 'id': 'T2'}"],
)
def test_arguments_in_text_without_one_reading_are_passed_on_as_they_are(arguments: str) -> None:
    spoken = {"tool_name": "desk_get", "arguments": arguments}

    assert action_of({"function": {"name": "desk_get", "arguments": arguments}}) == spoken
    assert action_of(spoken) == spoken


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
