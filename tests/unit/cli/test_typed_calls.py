"""What a typed line means as a tool call."""

from typing import Any

import pytest

from companyos.cli.episodes.typed_calls import NotACall, parse_call

TEXT = {"type": "string"}
TOOLS = {
    "desk_update": {
        "input_schema": {
            "properties": {
                "id": TEXT,
                "note": TEXT,
                "version": {"type": "integer"},
                "value": {"type": ["string", "number", "boolean", "null"]},
                "labels": {"type": "array"},
                "fields": {"type": "object"},
            }
        }
    }
}


def arguments(line: str) -> Any:
    action = parse_call(line, TOOLS)
    assert (action["type"], action["tool_name"]) == ("call_tool", "desk_update")
    return action["arguments"]


def test_the_value_of_a_single_required_argument_needs_no_name() -> None:
    needed = {"desk_update": {"input_schema": {**TOOLS["desk_update"]["input_schema"], "required": ["id"]}}}

    for line in (
        "desk_update TD-1 version=3",
        "desk_update 'TD-1' version=3",
        "desk_update id=TD-1 version=3",
    ):
        assert parse_call(line, needed)["arguments"] == {"id": "TD-1", "version": 3}
    with pytest.raises(NotACall, match="TD-1 is no argument"):
        parse_call("desk_update TD-1", TOOLS)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("desk_update", {}),
        ("  desk_update   id=TD-1 \n", {"id": "TD-1"}),
        ("desk_update id=TD-1 version=3", {"id": "TD-1", "version": 3}),
        ("desk_update id=17", {"id": "17"}),
        ("desk_update note=null", {"note": "null"}),
        ("desk_update value=17", {"value": 17}),
        ("desk_update value=true", {"value": True}),
        ("desk_update value=high", {"value": "high"}),
        ("desk_update version=soon", {"version": "soon"}),
        ('desk_update note="two words" id=TD-1', {"note": "two words", "id": "TD-1"}),
        ("desk_update note='it says \"no\"'", {"note": 'it says "no"'}),
        (r'desk_update note="a \"quote\""', {"note": 'a "quote"'}),
        ('desk_update value="17"', {"value": "17"}),
        ('desk_update labels=["a b", "c"] id=TD-1', {"labels": ["a b", "c"], "id": "TD-1"}),
        ('desk_update fields={"a": {"b": [1]}}', {"fields": {"a": {"b": [1]}}}),
        ("desk_update id = TD-1", {"id": "TD-1"}),
        ("desk_update id=", {"id": ""}),
        ("desk_update unheard_of=5", {"unheard_of": "5"}),
        ('desk_update {"id": "TD-1", "version": 2}', {"id": "TD-1", "version": 2}),
    ],
)
def test_a_line_names_a_tool_and_its_arguments(line: str, meant: dict[str, Any]) -> None:
    assert arguments(line) == meant


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("desk_update TD-1", "TD-1 is no argument. Write name=value"),
        ("desk_update id=TD-1 and more", "and is no argument"),
        ('desk_update note="never closed', "note is not complete"),
        ("desk_update note='never closed", "note lacks its closing quote"),
        ("desk_update labels=[1, 2", "labels is not complete"),
        ('desk_update {"id": ', "no JSON object"),
        ("desk_update {} {}", "no JSON object"),
    ],
)
def test_a_line_that_is_no_call_is_explained(line: str, complaint: str) -> None:
    with pytest.raises(NotACall, match=complaint):
        parse_call(line, TOOLS)
