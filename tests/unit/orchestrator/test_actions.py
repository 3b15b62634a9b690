"""Actions are read into one meaning, and nothing that is not strict JSON gets in."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.actions import (
    MAX_DEPTH,
    MAX_VALUES,
    ActionRefused,
    CallTool,
    ListTools,
    check_json,
    parse_action,
)

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


def test_arguments_may_be_left_out_or_null() -> None:
    assert parse_action({"tool_name": "finish"}) == CallTool("finish", {})
    assert parse_action({"tool_name": "finish", "arguments": None}) == CallTool("finish", {})


def test_the_tools_can_be_asked_for() -> None:
    action = parse_action({"type": "list_tools", "metadata": {}})

    assert action == ListTools()
    assert action.canonical == {"type": "list_tools"}


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, None),
        ("finish", None),
        ([], None),
        ({}, "tool_name"),
        ({"tool_name": ""}, "tool_name"),
        ({"tool_name": "x" * 201}, "tool_name"),
        ({"tool_name": 3}, "tool_name"),
        ({"tool_name": "a", "arguments": "{}"}, "arguments"),
        ({"tool_name": "a", "arguments": []}, "arguments"),
        ({"type": "reset"}, "type"),
        ({"type": None, "tool_name": "a"}, "type"),
        ({"type": ["call_tool"]}, "type"),
        ({"type": "list_tools", "tool_name": "a"}, "tool_name"),
        ({"tool_name": "a", "argument": {}}, "argument"),
        ({"app": "ticketdesk"}, "method"),
        ({"app": 1, "method": "a"}, "app"),
        ({"app": "a", "method": "b", "params": 3}, "params"),
        ({"app": "a", "method": "b", "arguments": {}}, "arguments"),
    ],
)
def test_what_is_no_action_is_refused_with_the_field_at_fault(value: Any, field: str | None) -> None:
    with pytest.raises(ActionRefused) as refused:
        parse_action(value)

    assert refused.value.field == field


def nested(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (float("nan"), "a"),
        (float("inf"), "a"),
        (-float("inf"), "a"),
        (2**63, "a"),
        (-(2**63) - 1, "a"),
        ("\ud800", "a"),
        ({"\ud800": 1}, "a"),
        ({1: 1}, "a"),
        ([[0.5, float("nan")]], "a.0.1"),
        ({"b": {"c": "\udfff"}}, "a.b.c"),
        (b"bytes", "a"),
        ({1, 2}, "a"),
        (nested(200_000), "a" + ".0" * (MAX_DEPTH - 1)),
        ([0] * (MAX_VALUES + 1), None),
    ],
)
def test_what_strict_json_cannot_carry_is_refused_wherever_it_hides(value: Any, place: str | None) -> None:
    with pytest.raises(ActionRefused) as refused:
        check_json({"a": value})

    assert place is None or str(refused.value.field).startswith(place)


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
    assert isinstance(action, CallTool | ListTools)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), JSON, max_size=4))
def test_any_arguments_get_through_unchanged(arguments: dict[str, Any]) -> None:
    assert parse_action({"tool_name": "t", "arguments": arguments}) == CallTool("t", arguments)
