"""What an agent reads is compact, fits its budget and says what it left out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.agent.observation_text import (
    compact,
    refusal_text,
    result_text,
    tools_text,
    within_budget,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (3.5, "3.5"),
        ("plain words", "plain words"),
        ("", '""'),
        (" edge", '" edge"'),
        ("two\nlines", '"two\\nlines"'),
        ([], "[]"),
        ({}, "{}"),
        ({"a": [1, {"b": None}]}, "{a: [1, {b: null}]}"),
    ],
)
def test_a_value_on_one_line_loses_nothing(value: Any, text: str) -> None:
    assert compact(value) == text


def test_a_result_is_a_line_a_field_and_a_line_an_item() -> None:
    page = {
        "items": [
            {"id": "TD-1", "title": "Onboard Coral Analytics", "status": "new"},
            {"id": "TD-2", "title": "Renew the license", "status": "done"},
        ],
        "next_cursor": None,
    }

    assert result_text(page).splitlines() == [
        "items:",
        "  - {id: TD-1, title: Onboard Coral Analytics, status: new}",
        "  - {id: TD-2, title: Renew the license, status: done}",
        "next_cursor: null",
    ]
    assert result_text(["a", 1]) == "- a\n- 1"
    assert result_text(None) == "null"


def test_a_text_of_several_lines_is_a_block_that_no_line_of_it_can_leave() -> None:
    text = result_text({"id": "DOC-1", "body": "# Hotels\n\nstatus: draft", "status": "in_force"})

    assert text.split("\n") == [
        "id: DOC-1",
        "body:",
        "  # Hotels",
        "  ",
        "  status: draft",
        "status: in_force",
    ]


def test_a_text_with_what_cannot_be_printed_stays_on_one_line() -> None:
    assert result_text({"body": "a\n\x1b[2J\nstatus: draft"}) == 'body: "a\\n\\u001b[2J\\nstatus: draft"'


@pytest.mark.parametrize(
    "value",
    [
        [{"id": f"TD-{number}", "title": "x" * 500} for number in range(500)],
        {"id": "DOC-1", "sections": ["A", "B"], "body": "# A\n" + "line\n" * 20_000 + "# B\nThe rule."},
        "x" * 100_000,
    ],
)
def test_results_without_pages_are_never_shortened(value: Any) -> None:
    assert within_budget(value) is value
    assert "left out" not in result_text(value)


def page(count: int, next_cursor: str | None = None, length: int = 50, **fields: Any) -> dict[str, Any]:
    items = [
        {"id": f"TD-{number}", "title": "x" * length, "assignee": None, "labels": []}
        for number in range(1, count + 1)
    ]
    return {"items": items, **fields, "next_cursor": next_cursor}


@given(st.integers(1, 60), st.integers(0, 400), st.integers(100, 9_000))
def test_a_page_keeps_the_items_that_fit_and_its_cursor_leads_to_the_others(
    count: int, length: int, budget: int
) -> None:
    whole = page(count, "TD-60", length, total=90)

    shown = within_budget(whole, budget)

    kept = len(shown["items"])
    assert shown["items"] == whole["items"][:kept]
    assert kept == 1 or len(result_text(shown["items"])) <= budget
    assert shown["next_cursor"] == (whole["next_cursor"] if kept == count else f"TD-{kept}")
    assert kept == count or len(result_text({"items": whole["items"][: kept + 1]})) > budget


def test_a_page_that_fits_is_shown_as_it_is() -> None:
    whole = page(30, total=30, note="x" * 50_000)

    assert within_budget(whole) is whole


def test_refusals_and_tools_are_told_in_a_line() -> None:
    tool = {
        "name": "desk_get",
        "description": "Read a ticket.",
        "input_schema": {"properties": {"ticket_id": {}, "full": {}}, "required": ["ticket_id"]},
    }

    assert refusal_text("ticket_incomplete", "Set priority.") == "Refused (ticket_incomplete): Set priority."
    assert refusal_text("no", "Set a to x.", {"field": "a", "allowed_values": ["x", "y"]}) == (
        "Refused (no): Set a to x.\nallowed_values: [x, y]"
    )
    assert tools_text([tool]) == "desk_get(ticket_id, full?): Read a ticket."
    tool["description"] = "Read a ticket. Nothing changes."
    assert tools_text([tool]) == "desk_get(ticket_id, full?): Read a ticket."
