"""Typed answers are graded by their value, and refused by their shape alone."""

from typing import Any

import pytest

from companyos.sdk.scenario import Answer, DateAnswer, IdAnswer, IdsAnswer, NamedAnswers, NumberAnswer

WEIGHT = NumberAnswer(12.5, "kg", tolerance=0.1)
COUNT = NumberAnswer(3)
TICKET = IdAnswer("TD-1042")
DAY = DateAnswer("2030-03-04")
TICKETS = IdsAnswer({"TD-1042", "TD-1043"})
SEVERAL = NamedAnswers({"owner": IdAnswer("jane.doe"), "count": COUNT})


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        (COUNT, 3),
        (COUNT, 3.0),
        (COUNT, "3"),
        (WEIGHT, {"value": 12.5, "unit": "kg"}),
        (WEIGHT, {"value": 12.4, "unit": "KG"}),
        (WEIGHT, '{"value": 12.6, "unit": "kg"}'),
        (TICKET, "TD-1042"),
        (TICKET, " td-1042 "),
        (DAY, "2030-03-04"),
        (TICKETS, ["TD-1043", "TD-1042", "TD-1043"]),
        (TICKETS, '["TD-1043", "TD-1042"]'),
        (IdsAnswer(()), []),
        (SEVERAL, {"owner": "jane.doe", "count": 3}),
        (SEVERAL, '{"count": "3", "owner": "Jane.Doe"}'),
    ],
)
def test_the_right_value_is_right_however_it_is_written(answer: Answer, given: Any) -> None:
    assert answer.flaw(given) is None
    assert answer.is_right(given)


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        (COUNT, 4),
        (WEIGHT, {"value": 12.7, "unit": "kg"}),
        (WEIGHT, {"value": 12.5, "unit": "t"}),
        (TICKET, "TD-1043"),
        (DAY, "2030-04-03"),
        (TICKETS, ["TD-1042"]),
        (TICKETS, ["TD-1042", "TD-1043", "TD-1044"]),
        (TICKETS, []),
        (SEVERAL, {"owner": "jane.doe", "count": 4}),
    ],
)
def test_another_value_of_the_shape_is_wrong_and_no_flaw(answer: Answer, given: Any) -> None:
    assert answer.flaw(given) is None
    assert not answer.is_right(given)


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        (COUNT, None),
        (COUNT, True),
        (COUNT, "three"),
        (COUNT, float("nan")),
        (COUNT, {"value": 3, "unit": ""}),
        (WEIGHT, 12.5),
        (WEIGHT, "12.5 kg"),
        (WEIGHT, {"value": "12.5", "unit": "kg"}),
        (TICKET, "It is TD-1042."),
        (TICKET, ""),
        (TICKET, 1042),
        (DAY, "4 March 2030"),
        (DAY, "20300304"),
        (DAY, 20300304),
        (TICKETS, "TD-1042"),
        (TICKETS, [1042]),
        (SEVERAL, {"owner": "jane.doe"}),
        (SEVERAL, {"owner": "jane.doe", "count": 3, "note": "sure"}),
        (SEVERAL, {"owner": "jane.doe", "count": "many"}),
    ],
)
def test_another_shape_is_told_what_is_wanted_and_is_not_right(answer: Answer, given: Any) -> None:
    assert answer.flaw(given) == f"must be {answer.shape}"
    assert not answer.is_right(given)


@pytest.mark.parametrize("answer", [COUNT, WEIGHT, TICKET, DAY, TICKETS, SEVERAL])
def test_the_document_of_an_answer_is_a_right_answer(answer: Answer) -> None:
    assert answer.is_right(answer.document)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (WEIGHT, NumberAnswer(900, "EUR")),
        (TICKET, IdAnswer("TD-7")),
        (TICKETS, IdsAnswer(())),
        (SEVERAL, NamedAnswers({"owner": IdAnswer("ann.lee"), "count": NumberAnswer(0)})),
    ],
)
def test_a_shape_gives_nothing_of_the_value_away(one: Answer, other: Answer) -> None:
    assert one.shape == other.shape
