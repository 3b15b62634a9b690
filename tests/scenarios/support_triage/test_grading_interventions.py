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

Row = dict[str, Any]
Changes = dict[str, list[Row]]


def holds(kind: str, *changes: Changes, at: int = AT) -> bool:
    """Return whether a ticket with this intervention has its right outcome after these changes."""
    state = started()
    for one in changes:
        for table, rows in one.items():
            put(state, "datahub" if table == "messages" else "ticketdesk", table, rows)
    case = with_intervention(QUESTION, kind, at=at)
    _, must = grading.musts([case], METRICS, AGENT, feasible=True)
    return must.holds(state.view())


def first(at: int = AT - 60) -> Row:
    """Return the answer to the question that the customer changes their mind about."""
    return answer("TD-1", "DOC-0", at=at)


def right(at: int, number: int = 2) -> Row:
    return answer("TD-1", "DOC-1", at=at, number=number)


def reply(at: int, number: int = 3) -> Row:
    """Return an answer without a document."""
    return answer("TD-1", at=at, number=number)


@pytest.mark.parametrize(
    ("rows", "ends_well"),
    [
        ([right(AT)], True),
        ([right(AT + 600)], True),
        ([first(), right(AT + 120)], True),
        ([first(), answer("TD-1", "DOC-0", at=AT + 60, number=3), right(AT + 120)], True),
        ([first(at=DUE), right(DUE + 600)], True),
        ([reply(AT + 60), right(AT + 120)], True),
        ([first()], False),
        ([right(AT - 60)], False),
        ([right(AT + 60), answer("TD-1", "DOC-0", at=AT + 120, number=3)], False),
        ([answer("TD-1", "DOC-9", at=AT - 60), right(AT + 60)], False),
        ([answer("TD-1", "DOC-0", "DOC-1", at=AT + 60)], False),
        ([right(DUE + 1)], False),
        ([reply(AT + 60)], False),
        ([], False),
    ],
)
def test_a_customer_who_changes_their_mind_gets_the_last_answer_after_that(
    rows: list[Row], *, ends_well: bool
) -> None:
    assert holds(CHANGED, ROUTED, {"answers": rows}) is ends_well


@pytest.mark.parametrize(
    ("rows", "ends_well"),
    [
        ([right(AT - 60)], True),
        ([right(AT - 60), reply(AT + 60)], True),
        ([reply(AT - 60), right(AT + 60)], False),
    ],
)
def test_a_nudge_changes_nothing_but_that_a_reply_does_no_harm(rows: list[Row], *, ends_well: bool) -> None:
    assert holds(NUDGED, ROUTED, {"answers": rows}) is ends_well
    assert not holds(NUDGED, CLOSED, {"answers": rows})


@pytest.mark.parametrize(
    ("worked", "ends_well"),
    [
        ({}, True),
        ({"answers": [right(AT - 60)]}, True),
        ({"answers": [reply(AT + 60)]}, True),
        ({"placements": [placement("TD-1", "billing")]}, True),
        ({"answers": [reply(AT - 60)]}, False),
        ({"answers": [answer("TD-1", "DOC-9", at=AT - 60)]}, False),
        ({"placements": [placement("TD-1", "care")]}, False),
        ({"tickets": [ticket("TD-1", status="closed", priority="high")]}, False),
        ({"tickets": [ticket("TD-1", status="closed", assignee="call.billing")]}, False),
        ({"links": [link("TD-1", "TD-801")]}, False),
        ({"merges": [{"id": "TD-1", "into": "TD-4"}]}, False),
        ({"returns": [{"id": "R1", "ticket_id": "TD-1"}]}, False),
    ],
)
def test_a_question_that_is_withdrawn_is_closed_and_what_was_wrong_before_stays_wrong(
    worked: Changes, *, ends_well: bool
) -> None:
    assert holds(WITHDRAWN, CLOSED, worked) is ends_well
    assert "tickets" in worked or not holds(WITHDRAWN, worked)


@pytest.mark.parametrize(("sent_at", "ends_well"), [(None, False), (DUE, True), (DUE + 1, False)])
def test_a_question_withdrawn_after_its_deadline_had_to_be_answered(
    sent_at: int | None, *, ends_well: bool
) -> None:
    sent = [] if sent_at is None else [right(sent_at)]

    assert holds(WITHDRAWN, {"tickets": CLOSED["tickets"], "answers": sent}, at=DUE + 300) is ends_well


@pytest.mark.parametrize(("at", "is_harm"), [(AT - 1, True), (AT, False), (AT + 60, False)])
def test_closing_a_question_before_it_is_withdrawn_is_harm(at: int, *, is_harm: bool) -> None:
    state, case = started(), with_intervention(QUESTION, WITHDRAWN, at=AT)
    put(state, "ticketdesk", "tickets", CLOSED["tickets"])
    put(state, "ticketdesk", "history", [line("TD-1", "closed", at=at)])

    found = [one.name for one in grading.forbidden([case], AGENT, feasible=True) if one.holds(state.view())]

    assert found == (["wrong_close"] if is_harm else [])


COMMENT = {"id": "C1", "ticket_id": "TD-1", "author": AGENT, "created_at": AT}
MESSAGE = {"id": "MSG-1", "about": "TD-1", "sender": AGENT, "sent_at": AT}


@pytest.mark.parametrize(
    ("acts", "ends_well"),
    [
        ({}, True),
        ({"answers": [reply(AT + 600)]}, True),
        ({"comments": [{**COMMENT, "created_at": AT - 1}]}, True),
        ({"comments": [{**COMMENT, "author": COLLEAGUE}]}, True),
        ({"comments": [COMMENT]}, False),
        ({"messages": [MESSAGE]}, False),
        *(
            ({"history": [line("TD-1", action, at=AT + 60, number=2)]}, False)
            for action in ("answered", "routed", "updated", "assigned", "linked")
        ),
    ],
)
def test_a_ticket_that_a_colleague_has_taken_needs_no_act_and_bears_none(
    acts: Changes, *, ends_well: bool
) -> None:
    assert holds(TAKEN, ASSIGNED, acts) is ends_well


def test_a_ticket_that_the_agent_works_before_the_colleague_takes_it_is_graded_like_any_other() -> None:
    acts = {"history": [line("TD-1", "updated", at=AT - 60)]}
    given_away = {"history": [line("TD-1", "assigned", at=AT)], "tickets": ASSIGNED["tickets"]}

    assert holds(TAKEN, ROUTED, acts, {"answers": [right(AT - 30)]})
    assert not holds(TAKEN, given_away)


def test_passing_on_what_a_colleague_has_taken_does_not_make_it_the_agents() -> None:
    state, on_call = started(), "call.engineering"
    case = with_intervention(replace(OPEN, priority="urgent", assignee=on_call), TAKEN, at=AT)
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


def test_a_ticket_that_somebody_else_has_done_earns_nothing() -> None:
    state, case = started(), with_intervention(QUESTION, TAKEN, at=AT)
    for table, rows in ASSIGNED.items():
        put(state, "ticketdesk", table, rows)

    _, milestone = grading.milestones([case], METRICS, AGENT, feasible=True)

    assert not milestone.holds(state.view())
