"""Typed answers at their boundaries: tolerances, shapes, and text that only looks like a value."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.sdk.grading.answers import read
from companyos.sdk.scenario import Answer, DateAnswer, IdAnswer, IdsAnswer, NamedAnswers, NumberAnswer

ANSWERS: dict[str, Answer] = {
    "number": NumberAnswer(5),
    "number with unit": NumberAnswer(5, "EUR"),
    "id": IdAnswer("TD-1"),
    "date": DateAnswer("2030-03-04"),
    "ids": IdsAnswer(["TD-1", "TD-2"]),
    "several": NamedAnswers({"owner": IdAnswer("jane.doe"), "count": NumberAnswer(2)}),
}
LAW = settings(max_examples=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize(
    "given_text",
    ["[" * 50_000, '{"value":' * 20_000, "1" + "0" * 400, "-1" + "0" * 4000, "1e999", "NaN", "\ud800", ""],
    ids=["deep list", "deep object", "wide", "wide below zero", "infinite", "nan", "surrogate", "empty"],
)
def test_text_that_no_reader_can_take_is_judged_like_any_other_text(answer: Answer, given_text: str) -> None:
    is_a_word = bool(given_text.strip()) and isinstance(answer, IdAnswer)

    assert (answer.flaw(given_text) is None) == is_a_word
    assert not answer.is_right(given_text)


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@LAW
@given(JSON)
def test_any_json_is_judged_and_what_has_a_flaw_is_never_right(answer: Answer, value: Any) -> None:
    if answer.flaw(value) is not None:
        assert not answer.is_right(value)


@pytest.mark.parametrize(
    ("given_number", "is_right"),
    [(9.5, True), (10.5, True), (9.49, False), (10.51, False), (10.5 + 5e-10, True), (10.5 + 5e-9, False)],
)
def test_the_tolerance_of_a_number_includes_its_bounds_and_the_slack_of_sums(
    given_number: float, is_right: bool
) -> None:
    assert NumberAnswer(10, tolerance=0.5).is_right(given_number) is is_right


def test_a_number_without_a_tolerance_is_compared_up_to_the_order_of_a_sum() -> None:
    assert NumberAnswer(0.3).is_right(0.1 + 0.2)
    assert not NumberAnswer(0.3).is_right(0.301)


@pytest.mark.parametrize(
    "given_amount",
    [
        {"value": 5},
        {"unit": "EUR"},
        {"value": 5, "unit": "EUR", "note": ""},
        {"value": "5", "unit": "EUR"},
        {"value": True, "unit": "EUR"},
        {"value": 5, "unit": None},
        [5, "EUR"],
        "5 EUR",
        5,
    ],
    ids=str,
)
def test_an_amount_is_its_value_and_its_unit_and_nothing_else(given_amount: Any) -> None:
    assert NumberAnswer(5, "EUR").flaw(given_amount) is not None


@pytest.mark.parametrize(
    ("given_id", "fits"),
    [("TD-1", True), ("\tTD-1\n", True), ("TD 1", False), ("TD\u00a01", False), (" ", False), (7, False)],
)
def test_an_id_is_one_word(given_id: Any, fits: bool) -> None:
    assert (IdAnswer("TD-1").flaw(given_id) is None) is fits


@pytest.mark.parametrize(
    ("given_date", "fits"),
    [
        ("2030-03-04", True),
        (" 2030-03-04 ", True),
        ("2028-02-29", True),
        ("2030-02-29", False),
        ("20300304", False),
        ("2030-03-04T09:00:00Z", False),
        ("4 March 2030", False),
        (20300304, False),
    ],
)
def test_a_date_is_a_day_of_the_calendar_with_dashes(given_date: Any, fits: bool) -> None:
    assert (DateAnswer("2030-03-04").flaw(given_date) is None) is fits


@LAW
@given(st.lists(st.sampled_from(["TD-1", "TD-2", " td-1 ", "Td-2"]), max_size=6))
def test_ids_are_a_set_in_any_order_case_and_number(ids: list[str]) -> None:
    named = {one.strip().upper() for one in ids}

    assert IdsAnswer(["TD-1", "TD-2"]).is_right(ids) is (named == {"TD-1", "TD-2"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("  plain words  ", "plain words"),
        ('"TD-1"', "TD-1"),
        ("[1, 2]", [1, 2]),
        ('{"a": 1}', {"a": 1}),
        ("12.5", 12.5),
        ("true", "true"),
        ("null", "null"),
        ("Infinity", "Infinity"),
        ("12,5", "12,5"),
        ("[1, 2", "[1, 2"),
    ],
)
def test_text_is_read_as_the_json_value_that_a_model_means(text: str, value: Any) -> None:
    assert read(text) == value


@LAW
@given(JSON.filter(lambda value: not isinstance(value, str)))
def test_values_other_than_text_are_read_unchanged(value: Any) -> None:
    assert read(value) is value
