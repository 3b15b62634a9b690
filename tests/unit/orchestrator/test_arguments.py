"""Arguments are read as they are meant where only one meaning is possible, and told what is wrong where none is."""

from typing import Any

import pytest

from orchestrator.agent.arguments import Arguments

PARAMETERS = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "minLength": 1, "maxLength": 5},
        "priority": {
            "anyOf": [{"type": "string", "enum": ["low", "high"]}, {"type": "null"}],
            "default": None,
        },
        "level": {"enum": ["A", "a"]},
        "kinds": {"type": "array", "items": {"enum": ["bug", "task"]}, "maxItems": 2},
        "limit": {"type": "integer", "minimum": 1, "maximum": 9, "default": 5},
        "ratio": {"type": "number"},
        "text": {"type": "string", "pattern": "\\S"},
        "is_open": {"type": "boolean"},
        "ids": {"type": "array", "items": {"type": "string"}},
        "counts": {"type": "array", "items": {"type": "integer"}},
        "answer": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "array"}]},
        "fields": {
            "type": "object",
            "additionalProperties": {"anyOf": [{"type": "string", "maxLength": 4}, {"type": "null"}]},
        },
    },
    "required": ["id"],
    "additionalProperties": False,
}
ARGUMENTS = Arguments(PARAMETERS)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"id": "a", "priority": None, "limit": None, "text": None}, {"id": "a"}),
        ({"id": "a", "fields": {"x": None}}, {"id": "a", "fields": {"x": None}}),
        ({"id": None, "color": None}, {"id": None, "color": None}),
        ({"priority": "HIGH", "kinds": ["Bug", "TASK"]}, {"priority": "high", "kinds": ["bug", "task"]}),
        ({"level": "a"}, {"level": "a"}),
        ({"limit": "3", "ratio": "0.5", "is_open": "True"}, {"limit": 3, "ratio": 0.5, "is_open": True}),
        ({"limit": "3.0", "counts": ["1", 2.0]}, {"limit": 3, "counts": [1, 2]}),
        ({"ids": '["a", "b"]', "kinds": '["BUG"]'}, {"ids": ["a", "b"], "kinds": ["bug"]}),
        ({"fields": '{"x": "1"}'}, {"fields": {"x": "1"}}),
        ({"id": "3", "text": "[1]", "answer": "3"}, {"id": "3", "text": "[1]", "answer": "3"}),
        (
            {"limit": "three", "ids": "a, b", "is_open": "1"},
            {"limit": "three", "ids": "a, b", "is_open": "1"},
        ),
        ({"limit": "", "ratio": "NaN", "counts": "5"}, {"limit": "", "ratio": "NaN", "counts": "5"}),
        ({"limit": 3.0, "ratio": 3.0}, {"limit": 3, "ratio": 3.0}),
        ({"limit": 3.5}, {"limit": 3.5}),
        ({"limit": 2.0**53 - 1, "ratio": 2.0**53}, {"limit": 2**53 - 1, "ratio": 2.0**53}),
        ({"limit": 2.0**53}, {"limit": 2.0**53}),
        ({"limit": True}, {"limit": True}),
        ({"limit": 1e300}, {"limit": 1e300}),
    ],
)
def test_arguments_are_read_as_they_are_meant(given: dict[str, Any], read: dict[str, Any]) -> None:
    found = ARGUMENTS.read(given)

    assert found == read
    assert [type(value) for value in found.values()] == [type(value) for value in read.values()]


@pytest.mark.parametrize(
    ("given", "told", "facts"),
    [
        ({}, "id: is required", {"field": "id", "required_field": "id"}),
        ({"id": None}, "id: must be of type string, not null", {"field": "id"}),
        ({"id": ""}, "id: must not be empty", {"field": "id"}),
        ({"id": "x" * 70_000}, "id: must have at most 5 characters", {"field": "id"}),
        ({"id": "a", "text": "  "}, "text: must not be empty", {"field": "text"}),
        (
            {"id": "a", "priority": "urgent"},
            'priority: must be one of low, high, not "urgent"',
            {"field": "priority", "allowed_values": ["low", "high"]},
        ),
        ({"id": "a", "limit": 3.5}, "limit: must be of type integer, not 3.5", {"field": "limit"}),
        ({"id": "a", "limit": 10}, "limit: must be at most 9, not 10", {"field": "limit"}),
        ({"id": "a", "kinds": []}, None, {}),
        (
            {"id": "a", "kinds": ["bug"] * 3},
            "kinds: must have at most 2 entries",
            {"field": "kinds"},
        ),
        (
            {"id": "a", "fields": {"x": 1}},
            "fields.x: must be of type string or null, not 1",
            {"field": "fields.x"},
        ),
        (
            {"id": "a", "fields": {"x": "five5"}},
            "fields.x: must have at most 4 characters",
            {"field": "fields.x"},
        ),
        (
            {"id": "a", "prio": "low"},
            "prio: there is no such argument (did you mean priority?)",
            {"field": "prio"},
        ),
    ],
)
def test_a_flaw_says_what_is_wanted_before_what_was_given(
    given: dict[str, Any], told: str | None, facts: dict[str, Any]
) -> None:
    flaw = ARGUMENTS.flaw(ARGUMENTS.read(given), lambda _: ())

    assert (flaw and flaw.text) == (told and f"{told}.")
    assert flaw is None or flaw.facts == facts
