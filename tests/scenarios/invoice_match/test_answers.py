"""What an agent makes of call-backs and of receivers' answers, in the words that the company uses for them."""

from datetime import date
from typing import Any

import pytest

from scenarios.invoice_match import reading
from scenarios.invoice_match.pack import add_call_back, confirmed
from scenarios.invoice_match.words import CONFIRMED, COUNTING, LATER, NEVER

from ..replies import NOON, replied, told
from .piles import empty_pile
from .weeks import asker

PHONE, ACCOUNT, SUPPLIER = "+49 221 445566", "DE11222", "SUP-7"
FACTS = {"note": "DN-12345", "supplier": "Ahrens Fasteners", "day": date(2030, 5, 3), "time": "13:05"}
MIDNIGHT = NOON - 43_200


def ticket(resolution: str | None, status: str = "closed") -> dict[str, Any]:
    return {"id": "TD-1", "status": status, "resolution": resolution}


def is_called_back(*tickets: dict[str, Any]) -> bool:
    return told(
        reading.is_called_back(asker(), SUPPLIER, PHONE, ACCOUNT), {"items": [*tickets], "next_cursor": None}
    )[0]


@pytest.mark.parametrize("wording", CONFIRMED)
def test_a_closed_call_back_under_the_number_on_record_confirms_an_account(wording: str) -> None:
    assert is_called_back(ticket(wording.format(phone=PHONE, account=ACCOUNT)))


@pytest.mark.parametrize("wording", CONFIRMED)
@pytest.mark.parametrize(
    "other", [{"phone": "+49 30 1"}, {"account": "DE99"}], ids=["another number", "another account"]
)
def test_a_call_to_another_number_or_about_another_account_confirms_nothing(
    wording: str, other: dict[str, str]
) -> None:
    assert not is_called_back(ticket(wording.format(**{"phone": PHONE, "account": ACCOUNT, **other})))


def test_an_open_call_back_confirms_nothing_yet() -> None:
    assert not is_called_back(ticket(CONFIRMED[0].format(phone=PHONE, account=ACCOUNT), status="new"))
    assert not is_called_back(ticket(None, status="new"))
    assert not is_called_back()


def test_number_and_account_of_two_calls_do_not_add_up_to_a_confirmation() -> None:
    one, other = (
        CONFIRMED[0].format(phone=PHONE, account="DE99"),
        CONFIRMED[1].format(phone="0", account=ACCOUNT),
    )

    assert not is_called_back(ticket(one), ticket(other))


def test_one_confirmation_among_other_calls_is_enough() -> None:
    right = CONFIRMED[2].format(phone=PHONE, account=ACCOUNT)

    assert is_called_back(ticket("Nobody answered."), ticket(None, status="new"), ticket(right))


def test_call_backs_are_looked_up_by_supplier() -> None:
    _, [search] = told(reading.is_called_back(asker(), SUPPLIER, PHONE, ACCOUNT), {"items": []})

    assert search["arguments"] == {"q": SUPPLIER, "kind": "call_back"}


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


@pytest.mark.parametrize("key", ["one", "two", "three", "four"])
def test_every_drawn_confirmation_is_one_that_agents_understand(key: str) -> None:
    assert is_called_back(ticket(confirmed(empty_pile().company, PHONE, ACCOUNT, key)))


@pytest.mark.parametrize("wording", COUNTING)
def test_a_pending_count_is_booked_at_the_time_that_the_receiver_names_today(wording: str) -> None:
    answer = wording.format(**FACTS)

    assert reading.booked_by(answer, NOON) == MIDNIGHT + 13 * 3600 + 5 * 60
    assert not reading.comes_later(answer)


@pytest.mark.parametrize("now", [MIDNIGHT, MIDNIGHT + 86_399], ids=["first second", "last second"])
def test_the_time_of_a_count_is_on_the_day_of_the_answer(now: int) -> None:
    assert reading.booked_by("It is booked by 13:05.", now) == MIDNIGHT + 13 * 3600 + 5 * 60


@pytest.mark.parametrize("wording", LATER)
def test_a_rest_that_is_due_another_day_comes_later_and_waits_for_no_count(wording: str) -> None:
    answer = wording.format(**FACTS)

    assert reading.comes_later(answer)
    assert reading.booked_by(answer, NOON) is None


@pytest.mark.parametrize("wording", NEVER)
def test_a_shortage_is_neither_counted_today_nor_due_another_day(wording: str) -> None:
    answer = wording.format(**FACTS)

    assert not reading.comes_later(answer)
    assert reading.booked_by(answer, NOON) is None


@pytest.mark.parametrize("prose", ["It was booked at 13:05.", "Booked by Tom.", "We booked it by noon."])
def test_prose_about_bookings_names_no_time(prose: str) -> None:
    assert reading.booked_by(prose, NOON) is None


def mail(number: int, about: str, sender: str = "rob.gate") -> dict[str, Any]:
    return {"id": f"MSG-{number}", "about": about, "sender": sender, "body": f"Answer about {about}."}


def read_answers(orders: set[str], *polls: list[dict[str, Any]]) -> tuple[dict[str, str], list[str]]:
    """Return the answers read if each look at the mailbox finds these mails, and the mails opened."""
    looks = iter(polls)
    known = {one["id"]: one for poll in polls for one in poll}

    def reply(action: dict[str, Any], now: int) -> Any:
        if action["tool_name"] == "datahub_list_messages":
            return {"items": next(looks)}
        return known[action["arguments"]["message_id"]]

    answers, actions = replied(reading.read_answers(asker(), orders), reply)
    return answers, [
        one["arguments"]["message_id"] for one in actions if "message_id" in one["arguments"]
    ] + [one["tool_name"] for one in actions if one["tool_name"] == "wait"]


def test_answers_are_read_as_they_arrive() -> None:
    answers, acts = read_answers({"PO-1", "PO-2"}, [mail(1, "PO-1")], [mail(1, "PO-1"), mail(2, "PO-2")])

    assert answers == {"PO-1": "Answer about PO-1.", "PO-2": "Answer about PO-2."}
    assert acts == ["MSG-1", "MSG-2", "wait"]


def test_own_questions_and_mails_about_other_orders_are_no_answers() -> None:
    mails = [mail(1, "PO-1", sender="ann.clerk"), mail(2, "PO-9"), mail(3, "PO-1")]

    answers, acts = read_answers({"PO-1"}, mails)

    assert answers == {"PO-1": "Answer about PO-1."}
    assert acts == ["MSG-3"]


def test_an_answer_that_is_late_is_waited_for_six_times_and_no_longer() -> None:
    answers, acts = read_answers({"PO-1"}, *[[]] * 5, [mail(1, "PO-1")])
    assert ([*answers], acts.count("wait")) == (["PO-1"], 5)

    with pytest.raises(LookupError, match="nobody answers"):
        read_answers({"PO-1"}, *[[]] * 6, [mail(1, "PO-1")])
