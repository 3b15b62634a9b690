"""Grading of support triage on rows written by hand: one fact at a time decides."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.scenario import Harm
from scenarios.support_triage import grading

from .worked import (
    AGENT,
    CASES,
    COLLEAGUE,
    DUE,
    FOREIGN,
    METRICS,
    QUESTION,
    VAGUE,
    answer,
    broken,
    done,
    line,
    link,
    missed,
    placement,
    put,
    receipt,
    started,
    ticket,
)

Changes = dict[str, list[dict[str, Any]]]


def test_everything_done_right_holds_and_breaks_nothing() -> None:
    seen = done()

    assert missed(seen) == set()
    assert broken(seen) == set()
    assert all(one.holds(seen) for one in grading.milestones(CASES, METRICS, AGENT, feasible=True))


def test_inaction_earns_nothing_and_breaks_nothing() -> None:
    seen = started().view()

    assert len(missed(seen)) == len(CASES) + 1
    assert broken(seen) == set()
    assert not any(one.holds(seen) for one in grading.milestones(CASES, METRICS, AGENT, feasible=True))


WRONG: dict[str, tuple[str, Changes]] = {
    "another-queue": ("ticket_1_question", {"placements": [placement("TD-1", "care")]}),
    "still-in-intake": ("ticket_1_question", {"placements": [placement("TD-1")]}),
    "another-priority": ("ticket_1_question", {"tickets": [ticket("TD-1", priority="medium")]}),
    "no-priority": ("ticket_1_question", {"tickets": [ticket("TD-1")]}),
    "assigned-for-nothing": (
        "ticket_1_question",
        {"tickets": [ticket("TD-1", priority="low", assignee="call.billing")]},
    ),
    "returned": ("ticket_1_question", {"tickets": [ticket("TD-1", priority="low", status="returned")]}),
    "linked-for-nothing": ("ticket_1_question", {"links": [link("TD-1", "TD-801")]}),
    "another-document": ("ticket_1_question", {"answers": [answer("TD-1", "DOC-2")]}),
    "no-document": ("ticket_1_question", {"answers": [answer("TD-1")]}),
    "one-document-more": ("ticket_1_question", {"answers": [answer("TD-1", "DOC-1", "DOC-2")]}),
    "a-second-answer-without-it": ("ticket_1_question", {"answers": [answer("TD-1", at=DUE + 60, number=2)]}),
    "closed-after-an-empty-answer": ("ticket_3_fixed", {"answers": [answer("TD-3", at=DUE - 60, number=2)]}),
    "asked-back-before": ("ticket_1_question", {"returns": [{"id": "R1", "ticket_id": "TD-1"}]}),
    "closed-and-asked-back": ("ticket_3_fixed", {"returns": [{"id": "R1", "ticket_id": "TD-3"}]}),
    "merged-and-asked-back": ("ticket_6_duplicate", {"returns": [{"id": "R1", "ticket_id": "TD-6"}]}),
    "merged-and-linked-elsewhere": (
        "ticket_6_duplicate",
        {"links": [link("TD-6", "TD-4", kind="duplicates", number=2)]},
    ),
    "merged-after-a-change-that-was-undone": (
        "ticket_6_duplicate",
        {"history": [line("TD-6", "updated", number=2)]},
    ),
    "another-incident-by-another-kind": (
        "ticket_2_failure",
        {"links": [link("TD-2", "TD-802", kind="duplicates", number=2)]},
    ),
    "one-more-in-another-answer": ("ticket_1_question", {"answers": [answer("TD-1", "DOC-2", number=2)]}),
    "not-assigned": ("ticket_2_failure", {"tickets": [ticket("TD-2", priority="urgent")]}),
    "assigned-to-another": (
        "ticket_2_failure",
        {"tickets": [ticket("TD-2", priority="urgent", assignee="call.billing")]},
    ),
    "another-incident": ("ticket_2_failure", {"links": [link("TD-2", "TD-802")]}),
    "both-incidents": ("ticket_2_failure", {"links": [link("TD-2", "TD-802", number=2)]}),
    "another-kind-of-link": ("ticket_2_failure", {"links": [link("TD-2", "TD-801", kind="blocks")]}),
    "not-closed": ("ticket_3_fixed", {"tickets": [ticket("TD-3")]}),
    "fixed-another-document": ("ticket_3_fixed", {"answers": [answer("TD-3", "DOC-4")]}),
    "defect-another-queue": ("ticket_4_defect", {"placements": [placement("TD-4", "integrations")]}),
    "not-returned": ("ticket_5_vague", {"tickets": [ticket("TD-5")]}),
    "returned-elsewhere": ("ticket_5_vague", {"placements": [placement("TD-5", "care")]}),
    "returned-and-answered": ("ticket_5_vague", {"answers": [answer("TD-5")]}),
    "returned-and-linked": ("ticket_5_vague", {"links": [link("TD-5", "TD-801")]}),
    "closed-elsewhere": ("ticket_3_fixed", {"placements": [placement("TD-3", "care")]}),
    "closed-with-a-priority": (
        "ticket_3_fixed",
        {"tickets": [ticket("TD-3", priority="low", status="closed")]},
    ),
    "closed-and-assigned": (
        "ticket_3_fixed",
        {"tickets": [ticket("TD-3", status="closed", assignee="call.billing")]},
    ),
    "closed-and-linked": ("ticket_3_fixed", {"links": [link("TD-3", "TD-801")]}),
    "merged-and-answered": ("ticket_6_duplicate", {"answers": [answer("TD-6")]}),
    "merged-and-ranked": (
        "ticket_6_duplicate",
        {"tickets": [ticket("TD-6", priority="urgent", status="closed")]},
    ),
    "merged-and-routed": ("ticket_6_duplicate", {"placements": [placement("TD-6", "care")]}),
}


@pytest.mark.parametrize(("name", "changes"), WRONG.values(), ids=WRONG)
def test_one_wrong_fact_misses_the_must_of_its_ticket_alone(name: str, changes: Changes) -> None:
    seen = done(changes)

    assert missed(seen) == {name}
    number = name.split("_")[1]
    milestones = grading.milestones(CASES, METRICS, AGENT, feasible=True)
    assert [one.name for one in milestones if not one.holds(seen)] == [f"ticket_{number}"]


@pytest.mark.parametrize(
    ("left_out", "name"),
    [
        ("TD-1-A1", "ticket_1_question"),
        ("TD-2-L1", "ticket_2_failure"),
        ("TD-3-A1", "ticket_3_fixed"),
        ("TD-4-A1", "ticket_4_defect"),
    ],
)
def test_an_answer_or_a_link_left_out_misses_the_must_of_its_ticket(left_out: str, name: str) -> None:
    assert missed(done(without=(left_out,))) == {name}


@pytest.mark.parametrize(("late_s", "in_time"), [(-1, True), (0, True), (1, False)])
@pytest.mark.parametrize("number", [1, 3], ids=["routed", "closed"])
def test_an_answer_is_in_time_up_to_the_second_it_is_due(number: int, late_s: int, *, in_time: bool) -> None:
    seen = done({"answers": [answer(f"TD-{number}", f"DOC-{number}", at=DUE + late_s)]})

    assert (missed(seen) == set()) is in_time


def test_the_same_answer_twice_is_one_too_many() -> None:
    first, again = answer("TD-1", "DOC-1", at=DUE), answer("TD-1", "DOC-1", at=DUE + 600, number=2)

    assert missed(done({"answers": [first, again]})) == {"ticket_1_question"}


@pytest.mark.parametrize(
    ("links", "is_right"),
    [
        ([link("TD-801", "TD-2")], True),
        ([link("TD-801", "TD-2"), link("TD-2", "TD-801")], False),
        ([link("TD-801", "TD-2", kind="blocks")], False),
        ([link("TD-802", "TD-2")], False),
    ],
    ids=["from the incident", "from both", "another kind", "another incident"],
)
def test_the_incident_may_be_linked_to_its_ticket_instead(
    links: list[dict[str, Any]], *, is_right: bool
) -> None:
    assert (missed(done({"links": links}, without=("TD-2-L1",))) == set()) is is_right


def test_an_answer_without_the_document_stops_no_clock() -> None:
    early, late = answer("TD-1", at=DUE), answer("TD-1", "DOC-1", at=DUE + 600, number=2)

    assert missed(done({"answers": [early, late]})) == {"ticket_1_question"}


@pytest.mark.parametrize("action", ["created", "linked", "merged", "breached"])
def test_history_of_merges_and_breaches_is_not_held_against_the_agent(action: str) -> None:
    lines = [line("TD-6", action, number=2)]

    assert missed(done({"history": lines, "links": [link("TD-6", "TD-1", kind="duplicates")]})) == set()


def test_a_routed_ticket_may_not_be_closed_however_right_it_is() -> None:
    seen = done({"tickets": [ticket("TD-1", priority="low", status="closed")]})

    assert missed(seen) == {"ticket_1_question"}
    assert broken(seen) == {"wrong_close"}


def test_links_of_other_kinds_are_nobodys_business() -> None:
    assert missed(done({"links": [link("TD-1", "TD-4", kind="mentions")]})) == set()


def test_a_ticket_that_has_not_arrived_has_no_outcome() -> None:
    unborn = replace(QUESTION, ticket_id="TD-77")

    assert not grading.has_its_end(unborn, AGENT)(done())


@pytest.mark.parametrize(
    ("first", "second", "read"),
    [(2, 3, True), (1, 3, False), (2, 2, False)],
    ids=["both", "first-is-old", "second-is-old"],
)
def test_the_rates_are_read_once_both_are_newer_than_they_were(
    first: int, second: int, *, read: bool
) -> None:
    state = started()

    put(state, "datahub", "receipts", [receipt("MET-1", first), receipt("MET-2", second)])

    assert grading.rates_are_read(METRICS, AGENT)(state.view()) is read


def test_rates_that_a_colleague_reads_are_not_read() -> None:
    state = started()

    put(state, "datahub", "receipts", [receipt("MET-1", 2, reader=COLLEAGUE), receipt("MET-2", 3)])

    assert not grading.rates_are_read(METRICS, AGENT)(state.view())


@pytest.mark.parametrize(
    "action", ["answered", "linked", "merged", "returned", "routed", "updated", "assigned", "closed"]
)
def test_every_act_of_the_agent_on_a_ticket_touches_it(action: str) -> None:
    state = started()
    put(state, "ticketdesk", "history", [line("TD-1", action)])

    seen = state.view()

    assert grading.is_touched(CASES, AGENT)(seen)
    assert broken(seen, feasible=False) == {"frozen_queue_worked"}


@pytest.mark.parametrize(
    "found",
    [
        line(FOREIGN, "updated"),
        line("TD-1", "assigned", COLLEAGUE),
        line("TD-1", "breached", "service_level"),
    ],
    ids=["elsewhere", "by-a-colleague", "by-the-clock"],
)
def test_changes_elsewhere_or_by_others_do_not_count_as_touched(found: dict[str, Any]) -> None:
    state = started()

    put(state, "ticketdesk", "history", [found])

    assert not grading.is_touched(CASES, AGENT)(state.view())


def test_a_ticket_that_arrives_during_the_morning_is_not_touched_by_arriving() -> None:
    state = started()
    late = replace(QUESTION, ticket_id="TD-77")

    put(state, "ticketdesk", "tickets", [ticket("TD-77")])
    put(state, "ticketdesk", "placements", [placement("TD-77")])
    put(state, "ticketdesk", "history", [line("TD-77", "created", "ada.reporter")])

    assert not grading.is_touched([*CASES, late], AGENT)(state.view())


def test_the_rates_come_before_any_touch_and_a_contract_before_a_priority() -> None:
    orders = grading.orders(CASES, METRICS, AGENT)

    assert [order.name for order in orders] == [
        "rates_before_tickets",
        *(f"contract_{number}_before_priority" for number in (1, 2, 4)),
    ]
    for order in orders:
        assert order.first(done())
        assert order.then(done())
        assert not order.first(started().view())
        assert not order.then(started().view())


def test_of_a_major_incident_only_the_rates_are_asked_for() -> None:
    [must] = grading.musts(CASES, METRICS, AGENT, feasible=False)
    [milestone] = grading.milestones(CASES, METRICS, AGENT, feasible=False)
    [fact] = grading.forbidden(CASES, AGENT, feasible=False)

    assert must.name == milestone.name == "error_rates_read"
    assert fact.harm is Harm.FORBIDDEN
    assert broken(started().view(), feasible=False) == set()


@pytest.mark.parametrize("count", [1, 3, 6])
def test_all_tickets_together_are_worth_six_however_many(count: int) -> None:
    rates, *tickets = grading.milestones(CASES[:count], METRICS, AGENT, feasible=True)

    assert rates.size == 1.0
    assert len(tickets) == count
    assert sum(one.size for one in tickets) == pytest.approx(6.0, abs=0.05)


def test_a_ticket_without_any_outcome_to_check_is_only_to_be_returned() -> None:
    state = started()

    put(state, "ticketdesk", "tickets", [ticket(VAGUE.ticket_id, status="returned", version=2)])

    assert grading.has_its_end(VAGUE, AGENT)(state.view())
