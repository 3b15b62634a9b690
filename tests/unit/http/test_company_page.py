"""How values and tables are shown to a person."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.http.trainer.company_page import MAX_CELL, aligned, cell, columns

TABLE = {
    "columns": ["id", "title", "priority", "blocked_by", "created_at"],
    "rows": [
        {"id": "TD-1", "title": "Read\nme", "priority": None, "blocked_by": [], "created_at": 0},
        {"id": "TD-10", "title": "x", "priority": None, "blocked_by": [], "created_at": 60, "changed": True},
    ],
}


@pytest.mark.parametrize(
    ("value", "name", "shown"),
    [
        (None, "", "–"),
        (True, "", "yes"),
        (False, "", "no"),
        (7, "version", "7"),
        (86_400, "created_at", "2030-01-02T00:00:00Z"),
        (86_400, "at", "2030-01-02T00:00:00Z"),
        (86_400, "as_of", "2030-01-02T00:00:00Z"),
        (86_400, "format", "86400"),
        (None, "verified_at", "–"),
        (85.5, "value", "85.5"),
        ("two\n  lines", "", "two lines"),
        (["TD-1", "TD-2"], "", '["TD-1","TD-2"]'),
        ({"a": None}, "", '{"a":null}'),
    ],
)
def test_a_value_is_shown_on_one_line(value: Any, name: str, shown: str) -> None:
    assert cell(value, name) == shown


def test_a_long_value_is_cut() -> None:
    shown = cell("x" * 1000)

    assert len(shown) == MAX_CELL
    assert shown.endswith("…")


def test_columns_that_nothing_fills_are_left_out() -> None:
    assert columns(TABLE) == ["id", "title", "created_at"]


def test_columns_stand_below_each_other_and_changes_are_marked() -> None:
    assert aligned(TABLE) == [
        "   id     title    created_at",
        "   TD-1   Read me  2030-01-01T00:00:00Z",
        "*  TD-10  x        2030-01-01T00:01:00Z",
    ]
