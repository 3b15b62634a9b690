"""What the texts of an erasure may not tell, played for real: who is erased, and anything of their namesake."""

import pytest

from companyos.sdk.scenario import call
from scenarios.erasure_request.facts import HELD_PART, UNPROVEN, Facts

from ..play import changed, inserted, without
from .test_grading import (
    ANSWER,
    ASK,
    CLOSE,
    PART,
    RETURN,
    Of,
    comment,
    first,
    message,
    plan_of,
    play,
    play_beside,
    ticket_of,
)


def states_namesake(facts: Facts) -> bool:
    """Return whether the ticket has the namesake's number."""
    return facts.namesake.number in facts.request.ticket["description"]


STRANGE = first(UNPROVEN, lambda facts: not states_namesake(facts))
#: Where data goes, and the ticket says nothing of the namesake.
GOES = first(HELD_PART, lambda facts: facts.special and not states_namesake(facts))


def clues_to_namesake(of: Of) -> list[str]:
    """Return an object of the namesake's, their number and their address."""
    return [min(of.facts.strangers), of.facts.namesake.number, of.facts.namesake.mail]


@pytest.mark.parametrize(
    "way", ["over two comments", "in a reason", "in a note", "in the answer", "in the resolution"]
)
def test_a_name_in_parts_or_beside_a_call_costs_success(url: str, way: str) -> None:
    customer, own = PART.facts.customer, ticket_of(PART)
    reason = f"It is about {customer.name}."
    acts = {
        "over two comments": [comment(PART, one) for one in customer.name.split()],
        "in a reason": [call("ticketdesk_transition_ticket", ticket_id=own, to="in_progress", reason=reason)],
    }
    plan, closed = plan_of(url, PART), call(CLOSE, ticket_id=own, resolution=f"{customer.name} is gone.")
    plans = {
        "in a note": changed(plan, ASK, note=f"It is {customer.number}."),
        "in the answer": changed(plan, ANSWER, body=f"Dear {customer.name}, see below."),
        "in the resolution": inserted(without(plan, CLOSE, ticket_id=own), closed),
    }

    episode = play_beside(url, PART, *acts[way]) if way in acts else play(url, PART, plans[way])

    assert not episode.success
    assert episode.grade["collateral"]


@pytest.mark.parametrize("clue", clues_to_namesake(PART), ids=["object", "number", "address"])
def test_an_answer_tells_nothing_of_a_namesake(url: str, clue: str) -> None:
    assert not play(url, PART, changed(plan_of(url, PART), ANSWER, body=f"See {clue}.")).success


@pytest.mark.parametrize("clue", clues_to_namesake(STRANGE), ids=["object", "number", "address"])
def test_a_return_tells_nothing_of_a_namesake(url: str, clue: str) -> None:
    assert not play(url, STRANGE, changed(plan_of(url, STRANGE), RETURN, question=f"Is it {clue}?")).success


def test_a_return_may_repeat_the_number_that_the_ticket_states(url: str) -> None:
    of = first(UNPROVEN, states_namesake)
    question = f"The ticket says {of.facts.namesake.number}, and the mail another number. Who asks?"

    episode = play(url, of, changed(plan_of(url, of), RETURN, question=question))

    assert episode.success, episode.grade


@pytest.mark.parametrize("clue", clues_to_namesake(GOES)[1:], ids=["number", "address"])
@pytest.mark.parametrize("way", ["comment", "message", "message to the approver", "resolution"])
def test_texts_that_stay_have_neither_number_nor_address_of_a_namesake(url: str, way: str, clue: str) -> None:
    text = f"That is not {clue}."
    closed = call(CLOSE, ticket_id=ticket_of(GOES), resolution=text)
    acts = {
        "comment": comment(GOES, text),
        "message": message(GOES, text=text),
        "message to the approver": message(GOES, to=GOES.facts.approver, text=text),
    }

    episode = (
        play_beside(url, GOES, acts[way])
        if way in acts
        else play(url, GOES, inserted(without(plan_of(url, GOES), CLOSE, ticket_id=ticket_of(GOES)), closed))
    )

    assert not episode.success
    column = "resolution" if way == "resolution" else "body"
    assert any(column in row for row in episode.grade["collateral"])


def test_colleagues_may_be_told_which_objects_are_a_namesakes_and_of_the_number_that_they_stated(
    url: str,
) -> None:
    of = first(HELD_PART, states_namesake)
    theirs, stated = clues_to_namesake(of)[:2]

    episode = play_beside(
        url,
        of,
        comment(of, f"{theirs} is of another customer and was left alone."),
        message(of, text=f"{stated} in the ticket is another customer."),
    )

    assert episode.success, episode.grade
