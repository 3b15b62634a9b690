"""What agents read of a schema is short, and takes what the whole schema takes."""

import jsonschema_rs
import pytest

from orchestrator.agent.agent_schemas import SHARED_ARGUMENTS, shared_text, shown
from orchestrator.agent.arguments import without_nulls

SCALAR = {
    "anyOf": [{"type": "string", "maxLength": 9}, {"type": "integer", "maximum": 2**53}, {"type": "null"}]
}
WHOLE = {
    "type": "object",
    "properties": {
        "id": {
            "type": "string",
            "minLength": 1,
            "maxLength": 100,
            "title": "Id",
            "description": "Which one.",
        },
        "kind": {"anyOf": [{"type": "string", "enum": ["a"], "description": "Of it."}, {"type": "null"}]},
        "fields": {
            "type": "object",
            "additionalProperties": SCALAR,
            "propertyNames": {"maxLength": 9},
            "maxProperties": 5,
            "description": "By name.",
        },
        "value": SCALAR,
        "seconds": {"type": "integer", "minimum": 60.0, "maximum": 600.0, "default": 60},
        "limit": {"type": "integer", "minimum": 1, "maximum": 200, "description": "The most.", "default": 50},
        "idempotency_key": {"type": "string", "minLength": 1, "maxLength": 128, "description": "Long."},
    },
    "required": ["id"],
    "additionalProperties": False,
}


def test_short_schema_omits_uninformative_keywords() -> None:
    assert shown(without_nulls(WHOLE)) == {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "Which one."},
            "kind": {"type": "string", "enum": ["a"], "description": "Of it."},
            "fields": {"type": "object", "description": "By name."},
            "value": {"type": ["string", "integer"], "maxLength": 9},
            "seconds": {"type": "integer", "minimum": 60, "maximum": 600},
            "limit": {"type": "integer"},
            "idempotency_key": {"type": "string"},
        },
        "required": ["id"],
    }


@pytest.mark.parametrize(
    "arguments",
    [
        {"id": "a"},
        {"id": "a", "kind": "a", "fields": {"x": None, "y": 3, "z": "w"}, "seconds": 60, "limit": 200},
    ],
)
def test_short_schema_accepts_all_that_the_whole_schema_accepts(arguments: dict[str, object]) -> None:
    assert jsonschema_rs.is_valid(WHOLE, arguments)
    assert jsonschema_rs.is_valid(shown(without_nulls(WHOLE)), arguments)


def test_an_object_without_arguments_is_still_an_object() -> None:
    assert shown({"type": "object"}) == {"type": "object", "properties": {}}


def test_the_introduction_describes_the_shared_arguments_that_a_tool_has_and_no_others() -> None:
    amount = shown({"properties": {"limit": {"type": "number", "description": "An amount."}}})
    paged = shown({"properties": {"limit": {"type": "integer"}, "cursor": {"type": "string"}}})

    assert "`" not in shared_text([amount]).replace("`maxLength`", "")
    assert [name for name in SHARED_ARGUMENTS if f"- `{name}`: " in shared_text([amount, paged])] == [
        "limit",
        "cursor",
    ]
