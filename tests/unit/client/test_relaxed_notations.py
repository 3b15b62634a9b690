"""Calls in notations near JSON, and as elements: what is read in them, and what has no reading."""

import pytest

from companyos.client.model_output import action_of

from .test_text_calls import call


def test_objects_in_pythons_notation_have_the_values_that_either_notation_names():
    said = "{'tool_name': 'desk_put', 'arguments': {'open': true, 'shut': False, 'note': None, 'due': null, 'n': -3,}}"

    assert call(said)["arguments"] == {"open": True, "shut": False, "note": None, "due": None, "n": -3}
    assert call("[desk_put(open=true, due=null)]")["arguments"] == {"open": True, "due": None}


@pytest.mark.parametrize(
    "text",
    [
        "{'tool_name': 'desk_get', 'arguments': {'id': 'T1', 'id': 'T2'}}",
        """{'tool_name': 'desk_get', 'arguments': {'ids': ['T1' 'T2']}}""",
        "{tool_name: 'desk_get', arguments: {id: 'T1', id: 'T2'}}",
        "{tool_name: desk_get, arguments: {id: T1}}",
        "{'tool_name': 'desk_get', 'arguments': {'id': 'it's'}}",
        "{“tool_name”: “desk_get”, “arguments”: {“id”: “say “T1” now”}}",
        "{tool_name: 'desk_get', arguments: {n: 0x10}}",
        "{tool_name: 'desk_get', arguments: {n: NaN}}",
        "{'tool_name': 'desk_get', 'arguments': {'id': open('x')}}",
        "{'tool_name': 'desk_get', 'arguments': {'id': b'T1'}}",
        "{'tool_name': 'desk_get', 'arguments': {'id': 'T\\d1'}}",
        "{'tool_name': 'desk_get', 'arguments': {'id': 'T1'}",
        "{'tool_name': 'desk_get', 'arguments': {1: 2}}",
        "{'" + "{" * 5_000,
    ],
)
def test_an_object_in_a_notation_near_json_without_one_reading_is_a_slip(text):
    assert action_of(text) == {"type": "invalid", "raw": text}


def test_texts_in_a_notation_near_json_are_kept_word_for_word():
    said = """{
      tool_name: 'desk_put',  // the title is theirs
      arguments: {a: 'it\\'s "so" // {b}', b: “it’s "c"”, 'd': "e: {f}, // g", h: [1, -2.5e3,], i: "j\\n\\u00fc",},
    }"""

    assert call(said)["arguments"] == {
        "a": 'it\'s "so" // {b}',
        "b": 'it’s "c"',
        "d": "e: {f}, // g",
        "h": [1, -2500.0],
        "i": "j\nü",
    }


@pytest.mark.parametrize(
    "text",
    [
        "<answer>42</answer>",
        "<desk_get><id>T1</id></desk_get> and <refuse></refuse>",
        "<desk_get><id>T1</id><id>T2</id></desk_get>",
        "<desk_get><id>T1</id></desk_get> is what I would say.",
        "<desk_get>the <id>T1</id></desk_get>",
        "<tool_call></tool_call>",
        "<tool_call><id>T1</id></tool_call>",
        "<desk_get><id>T1</id>",
    ],
)
def test_elements_that_are_not_one_call_at_the_end_of_the_text_are_a_slip(text):
    assert action_of(text) == {"type": "invalid", "raw": text}
