"""Actions from replies: what models say, and what it becomes."""

import json

import pytest

from companyos.evaluation.models.actions import intent_of
from companyos.evaluation.models.endpoint import ModelReply
from companyos.evaluation.models.settings import ToolMode

LOOK = {"tool_name": "desk_look", "arguments": {"ticket_id": "TD-1"}}


def said(content, mode=ToolMode.JSON):
    return intent_of(ModelReply(message={}, content=content), mode)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(LOOK),
        json.dumps(LOOK, indent=2),
        f"```json\n{json.dumps(LOOK)}\n```",
        f"<tool_call>{json.dumps({'name': 'desk_look', 'arguments': LOOK['arguments']})}</tool_call>",
    ],
)
@pytest.mark.parametrize("mode", ToolMode)
def test_text_that_is_a_call_is_that_call_in_either_mode(text, mode):
    assert said(text, mode).actions == [LOOK]


@pytest.mark.parametrize(
    ("before", "text", "reasoning"),
    [
        ("I look at the ticket.", "I look at the ticket.", ""),
        ("<think>{maybe}</think>", "", "{maybe}"),
        ("<think>Hm.</think>I look.\n```json", "I look.", "Hm."),
        ('Like {"a": 1} but other.', 'Like {"a": 1} but other.', ""),
        ("{{{{", "{{{{", ""),
        ('{"name": "Coral"}', '{"name": "Coral"}', ""),
    ],
)
def test_a_call_after_reasoning_is_found_and_the_reasoning_kept_apart(before, text, reasoning):
    intent = said(f"{before}\n{json.dumps(LOOK)}")

    assert intent.actions == [LOOK]
    assert (intent.text, intent.reasoning) == (text, reasoning)


def test_a_call_and_another_after_an_invented_result_are_a_slip():
    made_up = '{"tool_name": "finish", "arguments": {}}'

    [action] = said(f"First: {json.dumps(LOOK)}\nResult: priority high\n{made_up}").actions

    assert action["type"] == "invalid"


def test_an_invented_tool_is_passed_on_so_that_the_model_is_told():
    assert said('I use {"tool_name": "desk_solve", "arguments": {}} now').actions == [
        {"tool_name": "desk_solve", "arguments": {}}
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I am done.",
        "{",
        "{}",
        "[1, 2]",
        '{"tool_name": ',
        "{" * 5000,
        '{"a":' * 3000,
        "1. 2. 3. " * 500,
        "null",
        "\0\ud800",
    ],
)
@pytest.mark.parametrize("mode", ToolMode)
def test_text_without_a_call_is_an_invalid_action_that_holds_it(text, mode):
    [action] = said(text, mode).actions

    assert set(action) == {"type", "raw"}
    assert action["type"] == "invalid"
    assert action["raw"].startswith(text[:5].replace("\0", "").replace("\ud800", "?"))


def test_a_call_in_the_middle_of_text_counts_only_where_calls_are_text():
    text = f"I call {json.dumps(LOOK)}"

    assert said(text, ToolMode.NATIVE).actions[0]["type"] == "invalid"


@pytest.mark.parametrize(
    "text",
    [
        '[TOOL_REQUEST]{"name": "desk_look", "arguments": {}}[END_TOOL_REQUEST]',
        'I look. <tool_call>{"name": "desk_look", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "desk_look", "arguments": ',
        "<function=desk_look>{}</function>",
        '<|python_tag|>desk_look.call(ticket_id="TD-1")',
        json.dumps(LOOK),
    ],
)
def test_calls_as_text_of_a_model_that_is_sent_tools_natively_come_with_a_hint(text):
    assert "--tool-mode json" in said(text, ToolMode.NATIVE).hint
    assert said(text, ToolMode.JSON).hint == ""
    assert said("I look at the ticket.", ToolMode.NATIVE).hint == ""


def test_native_calls_are_actions_in_their_order_and_text_and_reasoning_are_kept():
    calls = [{"function": {"name": name, "arguments": "{}"}} for name in ("desk_look", "finish")]
    reply = ModelReply(message={}, calls=calls, content="Both.", reasoning="Why not?")

    intent = intent_of(reply, ToolMode.NATIVE)

    assert [action["tool_name"] for action in intent.actions] == ["desk_look", "finish"]
    assert (intent.text, intent.reasoning) == ("Both.", "Why not?")


@pytest.mark.parametrize(
    "call", [{}, {"function": None}, {"function": {"name": ""}}, {"type": "custom", "custom": {}}]
)
def test_a_malformed_native_call_is_an_invalid_action(call):
    [action] = intent_of(ModelReply(message={}, calls=[call]), ToolMode.NATIVE).actions

    assert action["type"] == "invalid"


def test_arguments_that_are_no_json_are_passed_on_so_that_the_model_is_told():
    call = {"function": {"name": "desk_look", "arguments": "{ticket: "}}

    [action] = intent_of(ModelReply(message={}, calls=[call]), ToolMode.NATIVE).actions

    assert action == {"tool_name": "desk_look", "arguments": "{ticket: "}
