"""Calls are composed of choices among seen values, and what cannot be composed is said to be out of reach."""

from typing import Any

import pytest

from companyos.training.pointer.calls import OutOfReach, Special, choices_of, compose

from .conversations import call, conversation


def composed(action: dict[str, Any], vocabulary: Any = None, known: Any = ()) -> dict[str, Any]:
    """The action that is made by the choices that lead to an action."""
    _, made = choices_of(conversation(known=known), vocabulary or {}, action)
    return made


@pytest.mark.parametrize(
    "arguments",
    [
        {"case_id": "C-7"},
        {"case_id": "C-7", "level": "high"},
        {"case_id": "C-7", "references": ["P-2", "P-1"]},
        {"case_id": "C-7", "references": []},
        {"case_id": "C-7", "fields": {"owner": "ana.lopez", "score": 81.5, "is_open": True}},
        {"case_id": "C-7", "title": "Blue Harbor Foods"},
    ],
)
def test_a_call_of_seen_and_enumerated_values_is_composed_exactly(arguments: dict[str, Any]) -> None:
    known = ("owner", "score", "is_open")
    names = {("desk_file", "fields", "name"): known}

    assert composed(call("desk_file", **arguments), names, known) == call("desk_file", **arguments)


def test_prose_becomes_the_values_that_it_mentions() -> None:
    note = "Checked C-7 against `P-1`, as ana.lopez and nobody.else asked."

    made = composed(call("desk_file", case_id="C-7", note=note))

    assert made["arguments"]["note"] == "C-7, P-1, ana.lopez"


def test_a_phrase_of_the_vocabulary_takes_a_seen_value() -> None:
    vocabulary = {("desk_file", "title"): ("Case of {}", "Urgent")}
    known = ("Case of {}", "Urgent")

    for title in ("Case of ana.lopez", "Urgent"):
        made = composed(call("desk_file", case_id="C-7", title=title), vocabulary, known)
        assert made["arguments"]["title"] == title


def test_a_key_against_repetition_is_left_out() -> None:
    assert composed(call("desk_file", case_id="C-7", idempotency_key="k")) == call("desk_file", case_id="C-7")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"case_id": "C-8"}, "case_id"),
        ({"case_id": "C-7", "level": "middle"}, "level"),
        ({"case_id": "C-7", "title": "Case of ana.lopez"}, "title"),
        ({"case_id": "C-7", "fields": {"score": 82.5}}, "fields"),
        ({"case_id": "C-7", "note": "Everything is in order."}, "note"),
    ],
)
def test_a_value_that_cannot_be_chosen_is_out_of_reach(arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(OutOfReach) as failure:
        composed(call("desk_file", **arguments))

    assert failure.value.path[:2] == ("desk_file", name)


def test_composed_prose_is_never_empty() -> None:
    slots, _ = choices_of(conversation(), {}, call("desk_file", case_id="C-7", note="As P-1 says."))
    first, second = [slot for slot in slots if slot.path == ("desk_file", "note", "item")]

    assert Special.STOP not in first.options
    assert Special.STOP in second.options


def test_an_item_of_a_list_is_no_option_twice() -> None:
    slots, _ = choices_of(conversation(), {}, call("desk_file", case_id="C-7", references=["P-1", "P-2"]))
    first, second, third = [slot for slot in slots if slot.path == ("desk_file", "references", "item")]

    assert first.target in first.options
    assert first.target not in (*second.options, *third.options)


def test_any_choices_make_a_call_with_the_required_arguments() -> None:
    steps = compose(conversation(), {})
    slot = next(steps)

    with pytest.raises(StopIteration) as end:
        while True:
            slot = steps.send(slot.options[-1])

    assert end.value.value["tool_name"] in ("desk_get", "desk_file")
    assert "case_id" in end.value.value["arguments"]
