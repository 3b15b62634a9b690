"""Grading of tickets about which other people do something: taken ones, and those of customers who write again."""

from dataclasses import replace
from typing import Any

import pytest

from scenarios.support_triage import grading
from scenarios.support_triage.cases import CHANGED, NUDGED, TAKEN, WITHDRAWN

from .worked import (
    AGENT,
    ARRIVED,
    COLLEAGUE,
    DUE,
    METRICS,
    OPEN,
    QUESTION,
    answer,
    line,
    link,
    placement,
    put,
    started,
    ticket,
    with_intervention,
)

AT = ARRIVED + 1000
#: A question that was ranked and routed; each test adds the answers.
ROUTED = {
    "tickets": [ticket("TD-1", priority="low", version=2)],
    "placements": [placement("TD-1", "billing")],
}
CLOSED = {"tickets": [ticket("TD-1", status="closed", version=2)], "history": [line("TD-1", "closed", at=AT)]}
ASSIGNED = {
    "tickets": [ticket("TD-1", assignee=COLLEAGUE, version=2)],
    "history": [line("TD-1", "assigned", COLLEAGUE, at=AT)],
}

Changes = dict[str, list[dict[str, Any]]]


def holds(kind: str, *changes: Changes) -> bool:
    """Return whether a ticket with this intervention has its right outcome after these changes."""
    state = started()
    for one in changes:
        for table, rows in one.items():
            put(state, "ticketdesk", table, rows)
    case = with_intervention(QUESTION, kind, at=AT)
    _, must = grading.musts([case], METRICS, AGENT, feasible=True)
    return must.holds(state.view())


def answers(*rows: dict[str, Any]) -> Changes:
    return {"answers": list(rows)}


@pytest.mark.parametrize("late_s", [0, 1, 600])
def test_answer_counts_after_the_customer_changed_their_mind(late_s: int) -> None:
    assert holds(CHANGED, ROUTED, answers(answer("TD-1", "DOC-1", at=AT + late_s)))


def test_an_answer_to_the_first_question_before_or_after_does_no_harm_if_the_last_one_is_right() -> None:
    before, crossing = answer("TD-1", "DOC-0", at=AT - 60), answer("TD-1", "DOC-0", at=AT + 60, number=2)
    last = answer("TD-1", "DOC-1", at=AT + 120, number=3)

    assert holds(CHANGED, ROUTED, answers(before, crossing, last))


@pytest.mark.parametrize(
    "rows",
    [
        [answer("TD-1", "DOC-0", at=AT - 60)],
        [answer("TD-1", "DOC-1", at=AT - 60)],
        [answer("TD-1", "DOC-1", at=AT + 60), answer("TD-1", "DOC-0", at=AT + 120, number=2)],
        [answer("TD-1", "DOC-9", at=AT - 60), answer("TD-1", "DOC-1", at=AT + 60, number=2)],
        [answer("TD-1", "DOC-0", "DOC-1", at=AT + 60)],
        [],
    ],
    ids=["only-the-first", "a-guess-before", "the-first-again", "another-one-before", "both-at-once", "none"],
)
def test_any_other_answers_miss_what_the_customer_wants_now(rows: list[dict[str, Any]]) -> None:
    assert not holds(CHANGED, ROUTED, answers(*rows))


def test_the_first_answer_is_due_as_before() -> None:
    assert not holds(CHANGED, ROUTED, answers(answer("TD-1", "DOC-1", at=DUE + 1)))


def test_the_second_question_may_be_answered_later_than_the_first_was_due() -> None:
    first, second = answer("TD-1", "DOC-0", at=DUE), answer("TD-1", "DOC-1", at=DUE + 600, number=2)

    assert holds(CHANGED, ROUTED, answers(first, second))


def test_a_nudge_changes_nothing() -> None:
    assert holds(NUDGED, ROUTED, answers(answer("TD-1", "DOC-1", at=AT - 60)))
    assert not holds(NUDGED, CLOSED)


@pytest.mark.parametrize(
    "worked",
    [{}, answers(answer("TD-1", "DOC-1", at=AT - 60)), {"placements": [placement("TD-1", "billing")]}],
    ids=["untouched", "answered", "routed"],
)
def test_a_question_that_is_withdrawn_is_closed_whatever_was_rightly_done_before(worked: Changes) -> None:
    assert holds(WITHDRAWN, CLOSED, worked)
    assert not holds(WITHDRAWN, worked)


@pytest.mark.parametrize(
    "worked",
    [
        answers(answer("TD-1", "DOC-9", at=AT - 60)),
        {"placements": [placement("TD-1", "care")]},
        {"tickets": [ticket("TD-1", status="closed", priority="high")]},
        {"tickets": [ticket("TD-1", status="closed", assignee="call.billing")]},
        {"links": [link("TD-1", "TD-801")]},
        {"merges": [{"id": "TD-1", "into": "TD-4"}]},
        {"returns": [{"id": "R1", "ticket_id": "TD-1"}]},
    ],
    ids=["wrong-answer", "wrong-queue", "wrong-priority", "assigned", "linked", "merged", "asked-back"],
)
def test_wrong_acts_before_a_withdrawal_stay_wrong(worked: Changes) -> None:
    assert not holds(WITHDRAWN, CLOSED, worked)


@pytest.mark.parametrize(
    ("sent_at", "ends_well"), [(None, False), (DUE, True), (DUE + 1, False)], ids=["never", "in-time", "late"]
)
def test_a_question_withdrawn_after_its_deadline_had_to_be_answered(
    sent_at: int | None, *, ends_well: bool
) -> None:
    state, case = started(), with_intervention(QUESTION, WITHDRAWN, at=DUE + 300)
    put(state, "ticketdesk", "tickets", CLOSED["tickets"])
    put(state, "ticketdesk", "answers", [] if sent_at is None else [answer("TD-1", "DOC-1", at=sent_at)])

    _, must = grading.musts([case], METRICS, AGENT, feasible=True)

    assert must.holds(state.view()) == ends_well


def test_a_mere_reply_to_what_a_customer_has_written_again_does_no_harm() -> None:
    right, reply = answer("TD-1", "DOC-1", at=AT - 60), answer("TD-1", at=AT + 60, number=2)
    second = answer("TD-1", "DOC-1", at=AT + 120, number=3)

    assert holds(NUDGED, ROUTED, answers(right, reply))
    assert holds(WITHDRAWN, CLOSED, answers(reply))
    assert holds(CHANGED, ROUTED, answers(reply, second))
    assert not holds(CHANGED, ROUTED, answers(reply))


def test_an_answer_without_its_document_before_that_is_wrong() -> None:
    early, right = answer("TD-1", at=AT - 60), answer("TD-1", "DOC-1", at=AT + 60, number=2)

    assert not holds(NUDGED, ROUTED, answers(early, right))
    assert not holds(WITHDRAWN, CLOSED, answers(early))


@pytest.mark.parametrize(("at", "is_harm"), [(AT - 1, True), (AT, False), (AT + 60, False)])
def test_closing_a_question_before_it_is_withdrawn_is_harm(at: int, *, is_harm: bool) -> None:
    state, case = started(), with_intervention(QUESTION, WITHDRAWN, at=AT)
    put(state, "ticketdesk", "tickets", CLOSED["tickets"])
    put(state, "ticketdesk", "history", [line("TD-1", "closed", at=at)])

    found = [one.name for one in grading.forbidden([case], AGENT, feasible=True) if one.holds(state.view())]

    assert found == (["wrong_close"] if is_harm else [])


def test_ticket_taken_by_a_colleague_needs_no_act() -> None:
    assert holds(TAKEN, ASSIGNED)


def test_ticket_taken_and_answered_by_a_colleague_needs_no_act() -> None:
    assert holds(TAKEN, ASSIGNED, answers(answer("TD-1", at=AT + 600)))


@pytest.mark.parametrize("action", ["answered", "routed", "updated", "assigned", "linked"])
def test_any_act_on_what_a_colleague_has_taken_is_wrong(action: str) -> None:
    acts = {"history": [line("TD-1", action, at=AT + 60, number=2)]}

    assert not holds(TAKEN, ASSIGNED, acts)


def test_a_ticket_that_the_agent_works_before_the_colleague_takes_it_is_graded_like_any_other() -> None:
    acts = {"history": [line("TD-1", "updated", at=AT - 60)]}

    assert holds(TAKEN, ROUTED, acts, answers(answer("TD-1", "DOC-1", at=AT - 30)))


def test_passing_on_what_a_colleague_has_taken_does_not_make_it_the_agents() -> None:
    state, on_call = started(), "call.engineering"
    urgent = replace(OPEN, priority="urgent", assignee=on_call)
    case = with_intervention(urgent, TAKEN, at=AT)
    put(state, "ticketdesk", "tickets", [ticket("TD-4", priority="urgent", assignee=on_call)])
    put(state, "ticketdesk", "placements", [placement("TD-4", "engineering")])
    put(state, "ticketdesk", "answers", [answer("TD-4", "DOC-4", at=AT + 60)])
    acts = [line("TD-4", "assigned", COLLEAGUE, at=AT), line("TD-4", "assigned", at=AT + 60, number=2)]

    found = []
    for history in (acts[1:], acts):
        put(state, "ticketdesk", "history", history)
        _, must = grading.musts([case], METRICS, AGENT, feasible=True)
        _, milestone = grading.milestones([case], METRICS, AGENT, feasible=True)
        found.append((must.holds(state.view()), milestone.holds(state.view())))

    assert found == [(True, True), (False, False)]


def test_assigning_a_ticket_to_a_colleague_is_not_the_same_as_leaving_it() -> None:
    acts = {"history": [line("TD-1", "assigned", at=AT)]}

    assert not holds(TAKEN, {"tickets": ASSIGNED["tickets"]}, acts)


def test_a_ticket_that_somebody_else_has_done_earns_nothing() -> None:
    state, case = started(), with_intervention(QUESTION, TAKEN, at=AT)
    for table, rows in ASSIGNED.items():
        put(state, "ticketdesk", table, rows)

    _, milestone = grading.milestones([case], METRICS, AGENT, feasible=True)

    assert not milestone.holds(state.view())
