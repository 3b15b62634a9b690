"""What an agent reads is compact, fits its budget and says what it left out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.agent.observation_text import (
    BUDGET,
    compact,
    fitted,
    refusal_text,
    result_text,
    tools_text,
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


def test_a_long_result_is_cut_at_a_line_and_says_so() -> None:
    text = result_text([{"id": f"TD-{number}", "title": "x" * 50} for number in range(500)])

    lines = text.splitlines()
    assert len(text) <= BUDGET
    assert all(line.endswith("}") for line in lines[:-1])
    assert f"[left out here: {500 - len(lines) + 1} lines," in lines[-1]


def page(count: int, next_cursor: str | None = None, **fields: Any) -> dict[str, Any]:
    items = [
        {"id": f"TD-{number}", "title": "x" * 50, "assignee": None, "labels": []}
        for number in range(1, count + 1)
    ]
    return {"items": items, **fields, "next_cursor": next_cursor}


@pytest.mark.parametrize("next_cursor", [None, "TD-30"])
def test_a_page_that_does_not_fit_shows_what_fits_how_long_the_list_is_and_where_to_go_on(
    next_cursor: str | None,
) -> None:
    text = result_text(page(30, next_cursor, total=120), budget=1000)

    lines = text.splitlines()
    shown = len(lines) - 4
    assert len(text) <= 1000
    assert lines[0] == "items:"
    assert lines[1] == f"  - {{id: TD-1, title: {'x' * 50}}}"
    assert 5 < shown < 30
    assert lines[-3:] == [
        "total: 120",
        f"next_cursor: TD-{shown}",
        f"[{shown} of 120 items shown; go on with cursor TD-{shown}]",
    ]


@pytest.mark.parametrize(("next_cursor", "more"), [(None, ""), ("TD-30", ", and there are more,")])
def test_without_a_total_it_says_how_long_the_page_is(next_cursor: str | None, more: str) -> None:
    lines = result_text(page(30, next_cursor), budget=1000).splitlines()

    shown = len(lines) - 3
    assert lines[-1] == f"[{shown} of 30 items on this page{more} shown; go on with cursor TD-{shown}]"


def test_a_page_that_does_not_fit_still_says_that_it_is_partial() -> None:
    lines = result_text(page(30, "TD-30", partial=True, total=30), budget=1000).splitlines()

    assert "partial: true" in lines


def test_a_long_field_of_a_page_takes_no_room_from_its_items() -> None:
    text = result_text(page(30, total=30, note="x" * 5000, notes=["y" * 5000]), budget=1000)

    assert len(text) <= 1000
    assert "items shown; go on with cursor" in text


def test_a_page_whose_first_item_does_not_fit_shows_its_beginning() -> None:
    items = [{"id": "TD-1", "title": "x" * 9000}, {"id": "TD-2"}]

    text = result_text({"items": items, "total": 2, "next_cursor": None})

    assert len(text) <= BUDGET
    assert text.startswith("items:\n  - {id: TD-1, title: xxx")
    assert text.endswith("next_cursor: TD-1\n[1 of 2 items shown; go on with cursor TD-1]")


@given(st.integers(1, 60), st.integers(0, 400), st.integers(250, 2000))
def test_a_page_always_fits_its_budget(count: int, length: int, budget: int) -> None:
    items = [{"id": f"TD-{number}", "title": "x" * length} for number in range(count)]

    text = result_text({"items": items, "total": count, "next_cursor": None}, budget)

    assert len(text) <= budget
    assert text.splitlines()[-1] == "next_cursor: null" or f" of {count} items shown" in text


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
    assert refusal_text("no", "Set a to x.", {"field": "a", "allowed_values": ["x", "y"]}) == (
        "Refused (no): Set a to x.\nallowed_values: [x, y]"
    )
    assert tools_text([tool]) == "desk_get(ticket_id, full?): Read a ticket."
    tool["description"] = "Read a ticket. Nothing changes."
    assert tools_text([tool]) == "desk_get(ticket_id, full?): Read a ticket."
