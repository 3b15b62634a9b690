"""What a request must state, rest on and go through: each fact is flipped alone, and the request no longer counts."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.sdk.approval_task import Objection, TaskFacts, checks
from companyos.sdk.approval_task.delegation import Link
from companyos.sdk.company import DECISION_S

from .made import ASKED_AT, START, FinishedTask, expense, later

FACTS, BUILDER = expense()
DECIDED_AT = ASKED_AT + DECISION_S
APPROVER = FACTS.route.approver(DECIDED_AT)
OTHER = BUILDER.cast.offices["cto"].id
AMOUNT = FACTS.fields["amount"]


def finished(facts: TaskFacts = FACTS) -> FinishedTask:
    return FinishedTask(facts, BUILDER)


def counts(task: FinishedTask) -> tuple[bool, bool, bool]:
    """Return whether a request is submitted, approved and linked."""
    view, facts = task.view, task.facts
    return checks.is_submitted(facts)(view), checks.is_approved(facts)(view), checks.is_linked(facts)(view)


@pytest.mark.parametrize(
    "columns",
    [
        *({"status": one} for one in ("held", "withdrawn", "voided", "expired")),
        *({"reason_code": one} for one in sorted(checks.OWN_FAULTS)),
        {"requester": OTHER},
        {"subject": None},
        {"subject": "EXP-0"},
        {"type": "budget_release"},
        {"ticket_id": "TD-1"},
        {"evidence": {}},
        {"evidence": {"metric_id": FACTS.metric["id"]}},
        {"evidence": {"metric_id": "MET-0", "metric_value": FACTS.value}},
        {"evidence": {"metric_id": FACTS.metric["id"], "metric_value": FACTS.metric["value"]}},
        {"decided_by": OTHER},
        {"decided_by": None, "approver": OTHER},
        {"decided_at": None, "decision_due": None},
        {"fields": {}},
        {"fields": {"amount": AMOUNT}},
        {"fields": {**FACTS.fields, "amount": AMOUNT + 0.01}},
        {"fields": {**FACTS.fields, "amount": str(AMOUNT)}},
        {"fields": {**FACTS.fields, "amount": None}},
        {"fields": {**FACTS.fields, "report_id": "EXP-0"}},
        {"fields": {**FACTS.fields, "cost_centre": FACTS.cost_centre}},
    ],
    ids=str,
)
def test_a_request_with_one_wrong_fact_does_not_count(columns: dict[str, Any]) -> None:
    task = finished()
    task.asked(**columns)

    assert counts(task) == (False, False, False)


@pytest.mark.parametrize("status", ["pending", "escalated", "rejected"])
def test_a_right_request_counts_as_submitted_before_it_is_approved(status: str) -> None:
    task = finished()
    task.asked(status=status)

    assert counts(task) == (True, False, True)


def test_before_the_decision_the_person_asked_counts_at_the_time_it_is_due() -> None:
    task = finished()
    task.asked(status="pending", decided_by=None, decided_at=None, decision_due=DECIDED_AT)

    assert counts(task) == (True, False, True)


@pytest.mark.parametrize(
    ("stated", "same"),
    [(AMOUNT * (1 + 1e-13), True), (AMOUNT * (1 + 1e-11), False), (AMOUNT * (1 - 1e-13), True)],
    ids=["rounded up", "another number", "rounded down"],
)
def test_a_converted_number_may_be_off_by_its_rounding(stated: float, same: bool) -> None:
    task = finished()
    task.asked(fields={**FACTS.fields, "amount": stated})

    assert counts(task)[0] is same


def test_a_further_field_may_be_stated_and_must_then_be_right() -> None:
    facts = replace(FACTS, further={"cost_centre": FACTS.cost_centre})
    task = finished(facts)

    told = [
        checks.is_submitted(facts)(task.asked(fields={**FACTS.fields, **more}))
        for more in ({}, {"cost_centre": FACTS.cost_centre}, {"cost_centre": "CC-000"}, {"colour": "red"})
    ]

    assert told == [True, True, False, False]


def absent_until(hours: int) -> TaskFacts:
    """Return the facts of a task whose approver is away for so many hours, with a delegate."""
    links = (Link(APPROVER, later(hours), covers=True), Link(OTHER, START))
    return replace(FACTS, route=replace(FACTS.route, links=links))


@pytest.mark.parametrize(
    ("decided_at", "by_delegate"), [(later(3) - 1, True), (later(3), False), (later(3) + 1, False)]
)
def test_a_delegate_may_decide_until_the_second_before_the_return(decided_at: int, by_delegate: bool) -> None:
    facts = absent_until(3)
    task = finished(facts)

    delegate = checks.is_approved(facts)(task.asked(decided_by=OTHER, decided_at=decided_at))
    holder = checks.is_approved(facts)(task.asked(decided_by=APPROVER, decided_at=decided_at))

    assert (delegate, holder) == (by_delegate, not by_delegate)


@pytest.mark.parametrize(
    ("columns", "bars"),
    [({}, True), ({"remedy": "resubmit"}, False), ({"attempt": 2}, False), ({"attempt": 3}, False)],
    ids=["before", "for another reason", "the same attempt", "a later attempt"],
)
def test_only_an_earlier_wish_for_a_second_approver_bars_anybody(columns: dict[str, Any], bars: bool) -> None:
    facts = replace(FACTS, route=replace(FACTS.route, others=(OTHER,)))
    task = finished(facts)
    first = task.request(
        status="rejected", **{"attempt": 1, "remedy": "second_approver", "decided_by": APPROVER, **columns}
    )
    task.write("approvalflow", "requests", {**first, "id": "APR-9000"})

    assert checks.is_approved(facts)(task.asked(attempt=2, decided_by=APPROVER)) is not bars


@pytest.mark.parametrize(
    ("columns", "objected_to"),
    [
        ({}, True),
        ({"status": "pending"}, False),
        ({"attempt": 2}, False),
        ({"reason_code": "wording_unclear"}, False),
    ],
    ids=["as drawn", "not rejected", "another attempt", "another reason"],
)
def test_an_objection_is_met_by_the_rejection_of_its_attempt_for_its_reason(
    columns: dict[str, Any], objected_to: bool
) -> None:
    task, objection = finished(), Objection(1, "four_eyes_wanted", "second_approver")
    task.asked(**{"status": "rejected", "attempt": 1, "reason_code": "four_eyes_wanted", **columns})

    assert checks.is_objected_to(FACTS, objection)(task.view) is objected_to
