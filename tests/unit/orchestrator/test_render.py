"""What an agent reads is compact, fits its budget and says what it left out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.render import BUDGET, compact, fitted, refusal_text, result_text, tools_text


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
            {"id": "TD-2", "title": "Renew the licence", "status": "done"},
        ],
        "next_cursor": None,
    }

    assert result_text(page).splitlines() == [
        "items:",
        "  - {id: TD-1, title: Onboard Coral Analytics, status: new}",
        "  - {id: TD-2, title: Renew the licence, status: done}",
        "next_cursor: null",
    ]
    assert result_text(["a", 1]) == "- a\n- 1"
    assert result_text(None) == "null"


def test_a_long_result_is_cut_at_a_line_and_says_so() -> None:
    text = result_text([{"id": f"TD-{number}", "title": "x" * 50} for number in range(500)])

    lines = text.splitlines()
    assert len(text) <= BUDGET
    assert all(line.endswith("}") for line in lines[:-1])
    assert f"[left out here: {500 - len(lines) + 1} lines," in lines[-1]


def test_a_single_line_beyond_the_budget_is_cut_and_says_so() -> None:
    text = result_text("x" * 10_000)

    assert len(text) <= BUDGET
    assert text.startswith("xxx")
    assert "left out here: 1 lines" in text


@given(st.lists(st.text(max_size=300), min_size=1, max_size=60), st.integers(120, 2000))
def test_text_always_fits_its_budget(lines: list[str], budget: int) -> None:
    lines = [line.replace("\n", " ") for line in lines]

    text = fitted(lines, budget)

    assert len(text) <= budget
    assert text == "\n".join(lines) or "[left out here:" in text


def test_refusals_and_tools_are_told_in_a_line() -> None:
    tool = {
        "name": "desk_get",
        "description": "Read a ticket.",
        "input_schema": {"properties": {"ticket_id": {}, "full": {}}, "required": ["ticket_id"]},
    }

    assert refusal_text("ticket_incomplete", "Set priority.") == "Refused (ticket_incomplete): Set priority."
    assert tools_text([tool]) == "desk_get(ticket_id, full?): Read a ticket."
