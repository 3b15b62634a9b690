"""What an agent makes of call-backs and of receivers' answers, in the words that the company uses for them."""

from datetime import date

import pytest

from companyos.sdk.documents import Template
from scenarios.invoice_match import reading
from scenarios.invoice_match.pack import add_call_back
from scenarios.invoice_match.words import COUNTING, LATER, NEVER

from .piles import empty_pile

FACTS = {"note": "DN-12345", "supplier": "Ahrens Fasteners", "day": date(2030, 5, 3), "time": "13:05"}
MIDNIGHT = 40 * 86_400
NOON = MIDNIGHT + 43_200


@pytest.mark.parametrize("resolution", [None, "Called them."], ids=["open", "closed"])
def test_a_call_back_is_closed_and_has_a_caller_exactly_if_it_has_a_result(resolution: str | None) -> None:
    pile = empty_pile()
    supplier = pile.supplier()

    row = add_call_back(pile.company, supplier, "key", resolution)

    assert (row["status"], row["assignee"] is None) == (
        ("new", True) if resolution is None else ("closed", False)
    )
    assert row["resolution"] == resolution
    assert row["subject"] == supplier["id"]


@pytest.mark.parametrize("wording", COUNTING)
def test_a_pending_count_is_booked_at_the_time_that_the_receiver_names_today(wording: Template) -> None:
    answer = wording.write(**FACTS)

    assert reading.booked_by(answer, NOON) == MIDNIGHT + 13 * 3600 + 5 * 60
    assert not reading.comes_later(answer)


@pytest.mark.parametrize("now", [MIDNIGHT, MIDNIGHT + 86_399], ids=["first second", "last second"])
def test_the_time_of_a_count_is_on_the_day_of_the_answer(now: int) -> None:
    assert reading.booked_by(COUNTING[0].write(**FACTS), now) == MIDNIGHT + 13 * 3600 + 5 * 60


@pytest.mark.parametrize("wording", LATER)
def test_a_rest_that_is_due_another_day_comes_later_and_waits_for_no_count(wording: Template) -> None:
    answer = wording.write(**FACTS)

    assert reading.comes_later(answer)
    assert reading.booked_by(answer, NOON) is None


@pytest.mark.parametrize("wording", NEVER)
def test_a_shortage_is_neither_counted_today_nor_due_another_day(wording: Template) -> None:
    answer = wording.write(**FACTS)

    assert not reading.comes_later(answer)
    assert reading.booked_by(answer, NOON) is None
