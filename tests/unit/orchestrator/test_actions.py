"""Actions are read into one meaning, and nothing that is not strict JSON gets in."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.agent.actions import (
    MAX_RAW,
    Abandon,
    ActionRefused,
    CallTool,
    ListTools,
    MalformedCall,
    NoCall,
    parse_action,
)
from orchestrator.protocol.strict_json import MAX_VALUES

READ = CallTool("ticketdesk_get_ticket", {"ticket_id": "TD-1001"})


@pytest.mark.parametrize(
    "spelled",
    [
        {"type": "call_tool", "tool_name": "ticketdesk_get_ticket", "arguments": {"ticket_id": "TD-1001"}},
        {"tool_name": "ticketdesk_get_ticket", "arguments": {"ticket_id": "TD-1001"}},
        {"app": "ticketdesk", "method": "get_ticket", "params": {"ticket_id": "TD-1001"}},
        {
            "type": "call_tool",
            "app": "ticketdesk",
            "method": "get_ticket",
            "params": {"ticket_id": "TD-1001"},
            "metadata": {"any": "thing"},
        },
    ],
)
def test_every_spelling_of_a_call_means_the_same(spelled: dict[str, Any]) -> None:
    action = parse_action(spelled)

    assert action == READ
    assert action.canonical == {
        "type": "call_tool",
        "tool_name": "ticketdesk_get_ticket",
        "arguments": {"ticket_id": "TD-1001"},
    }


def test_the_orchestrators_own_tools_have_bare_names_in_the_app_spelling_too() -> None:
    assert parse_action({"app": "orchestrator", "method": "wait", "params": {"seconds": 60}}) == CallTool(
        "wait", {"seconds": 60}
    )


def test_a_rollout_can_be_abandoned() -> None:
    action = parse_action({"type": "abandon"})

    assert action == Abandon()
    assert parse_action(action.canonical) == action


def test_the_tools_can_be_asked_for() -> None:
    action = parse_action({"type": "list_tools", "metadata": {}})

    assert action == ListTools()
    assert action.canonical == {"type": "list_tools"}


@pytest.mark.parametrize(
    "text", ['{"ticket_id": "TD-1001"}', ' {"ticket_id":"TD-1001"} ', '"{\\"ticket_id\\": \\"TD-1001\\"}"']
)
def test_arguments_that_are_json_in_a_text_are_the_arguments(text: str) -> None:
    assert parse_action({"tool_name": READ.tool_name, "arguments": text}) == READ
    assert parse_action({"app": "ticketdesk", "method": "get_ticket", "params": text}) == READ


def test_parts_that_clients_fill_in_by_default_count_as_not_said() -> None:
    filled: dict[str, Any] = {
        "type": None,
        "tool_name": "finish",
        "arguments": {},
        "app": "",
        "method": None,
        "params": {},
    }

    assert parse_action(filled) == CallTool("finish", {})


@pytest.mark.parametrize("arguments", ["", " \n", "null", "{}", None])
def test_an_empty_text_stands_for_no_arguments(arguments: Any) -> None:
    assert parse_action({"tool_name": "finish", "arguments": arguments}) == CallTool("finish", {})


@pytest.mark.parametrize(
    ("value", "tool_name", "part"),
    [
        ({"tool_name": "x" * 201}, "x" * 200, "tool_name"),
        ({"tool_name": "a", "arguments": "{"}, "a", "arguments"),
        ({"tool_name": "a", "arguments": "[1]"}, "a", "arguments"),
        ({"tool_name": "a", "arguments": '{"n": 1, "n": 2}'}, "a", "arguments"),
        ({"tool_name": "a", "arguments": '{"n": NaN}'}, "a", "arguments"),
        ({"tool_name": "a", "arguments": "[" * 40 + "]" * 40}, "a", "An action is nested"),
        ({"tool_name": "a", "arguments": []}, "a", "arguments"),
        ({"tool_name": "a", "arguments": {"n": 2**63}}, "a", "arguments.n"),
        ({"tool_name": "a", "arguments": {"n": [0] * (MAX_VALUES + 1)}}, "a", "An action holds"),
        ({"type": "reset", "tool_name": "a"}, "a", "type"),
        ({"type": "list_tools", "tool_name": "a"}, "a", "type"),
        ({"tool_name": "a", "argument": {}, "thoughts": "…"}, "a", "thoughts"),
        ({"tool_name": "a", "app": "b"}, "a", "app"),
        ({"app": "ticketdesk"}, "ticketdesk", "method"),
        ({"method": "get_ticket"}, "get_ticket", "app"),
        ({"app": "a", "method": 1}, "a_1", "method"),
        ({"app": "a", "method": "b", "params": 3}, "a_b", "params"),
        ({"app": "a", "method": "b", "arguments": {"c": 1}}, "a_b", "arguments"),
    ],
)
def test_malformed_call_keeps_its_tool_name_and_states_its_flaw(
    value: dict[str, Any], tool_name: str, part: str
) -> None:
    action = parse_action({**value, "metadata": {"step": 1}})

    assert isinstance(action, MalformedCall)
    assert action.tool_name == tool_name
    assert action.flaw.startswith(part)
    assert parse_action(action.canonical) == action


def test_text_instead_of_a_call_is_kept_up_to_a_length() -> None:
    assert parse_action({"type": "invalid", "raw": "I think so."}) == NoCall("I think so.")
    action = parse_action({"type": "invalid", "raw": "x" * (MAX_RAW + 1), "metadata": {}})
    assert action == NoCall("x" * MAX_RAW)
    assert parse_action(action.canonical) == action


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, None),
        ("finish", None),
        ([], None),
        ({}, "tool_name"),
        ({"type": "call_tool", "arguments": {}}, "tool_name"),
        ({"tool_name": ""}, "tool_name"),
        ({"tool_name": 3}, "tool_name"),
        ({"app": 1, "method": ["a"]}, "tool_name"),
        ({"type": "reset"}, "type"),
        ({"type": ["call_tool"]}, "type"),
        ({"type": "list_tools", "more": True}, "more"),
        ({"type": "invalid"}, "raw"),
        ({"type": "invalid", "raw": {"text": "no"}}, "raw"),
        ({"type": "invalid", "raw": "no", "more": 1}, "more"),
    ],
)
def test_action_without_a_tool_name_is_refused_with_the_faulty_field(value: Any, field: str | None) -> None:
    with pytest.raises(ActionRefused) as refused:
        parse_action(value)

    assert refused.value.field == field


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_any_json_value_is_read_or_refused_but_never_crashes(value: Any) -> None:
    try:
        action = parse_action(value)
    except ActionRefused:
        return
    assert isinstance(action, CallTool | ListTools | MalformedCall | NoCall)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), JSON, max_size=4))
def test_any_arguments_get_through_unchanged(arguments: dict[str, Any]) -> None:
    assert parse_action({"tool_name": "t", "arguments": arguments}) == CallTool("t", arguments)
