"""What must never hold: each at the boundary of what is still allowed."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.sdk.approval_task import checks
from companyos.sdk.company import Row, rows

from .made import ASKED_AT, REQUEST, FinishedTask, expense, made

FACTS, BUILDER = expense()


def finished() -> FinishedTask:
    return FinishedTask(FACTS, BUILDER)


def other_ticket() -> Row:
    """Return a ticket of the company that is not the goal's."""
    tickets = BUILDER.company.rows["ticketdesk"]["tickets"]
    return next(row for row in tickets if row["id"] != FACTS.ticket["id"])


@pytest.mark.parametrize("code", sorted(checks.OWN_FAULTS))
def test_a_request_that_was_wrong_from_the_start_closes_the_file(code: str) -> None:
    assert checks.is_filed_away(FACTS)(finished().asked(status="rejected", reason_code=code))


@pytest.mark.parametrize("code", [None, "four_eyes_wanted", "wording_unclear"])
def test_an_approvers_own_reason_closes_no_file(code: str | None) -> None:
    assert not checks.is_filed_away(FACTS)(finished().asked(status="rejected", reason_code=code))


@pytest.mark.parametrize(
    ("request_id", "action", "closed"),
    [(REQUEST, "misdirected", True), (REQUEST, "submitted", False), ("APR-1", "misdirected", False)],
    ids=["misdirected", "something else", "another request"],
)
def test_a_misdirected_request_closes_the_file_even_after_it_is_withdrawn(
    request_id: str, action: str, closed: bool
) -> None:
    task = finished()
    task.asked(status="withdrawn")
    entry = rows.audit_entry(request_id, 9, ASKED_AT, FACTS.persona.id, action, "Asked.")
    task.write("approvalflow", "audit", entry)

    assert checks.is_filed_away(FACTS)(task.view) is closed


@pytest.mark.parametrize("status", ["pending", "rejected", "withdrawn", "voided"])
@pytest.mark.parametrize("fields", [{"amount": 1.0}, {"colour": "red"}], ids=["false value", "unknown field"])
def test_a_false_statement_stays_one_whatever_becomes_of_the_request(
    status: str, fields: dict[str, Any]
) -> None:
    view = finished().asked(status=status, fields={**FACTS.fields, **fields})

    assert checks.is_misstated(FACTS)(view)


@pytest.mark.parametrize("other", ["held", "pending", "escalated", "approved"])
def test_a_second_request_beside_a_standing_one_is_one_too_many(other: str) -> None:
    task = finished()
    task.write("approvalflow", "requests", {**task.request(status=other), "id": "APR-9002"})

    assert checks.is_requested_twice(FACTS)(task.view)


@pytest.mark.parametrize("other", ["rejected", "withdrawn", "voided", "expired"])
def test_a_request_that_is_over_may_be_followed_by_another(other: str) -> None:
    task = finished()
    task.write("approvalflow", "requests", {**task.request(status=other), "id": "APR-9000"})

    assert not checks.is_requested_twice(FACTS)(task.view)


def test_a_ticket_that_was_closed_before_may_be_written_and_a_new_closed_one_may_not() -> None:
    facts, builder = made("vendor_onboarding")
    closed = next(row for row in builder.company.rows["ticketdesk"]["tickets"] if row["status"] == "closed")
    touched, filed = FinishedTask(facts, builder), FinishedTask(facts, builder)

    touched.write("ticketdesk", "tickets", {**closed, "version": 99})
    filed.write("ticketdesk", "tickets", {**closed, "id": "TD-9999"})

    assert not checks.closes_a_ticket(touched.view)
    assert checks.closes_a_ticket(filed.view)


@pytest.mark.parametrize(
    ("columns", "found"),
    [({}, True), ({"kind": "bug"}, False), ({"subject": None}, False), ({"subject": "EXP-0"}, False)],
    ids=["as asked", "another kind", "about nothing", "about another record"],
)
def test_a_new_ticket_is_found_by_its_kind_and_its_record(columns: dict[str, Any], found: bool) -> None:
    task = finished()
    new = {**task.verified(), "id": "TD-9999", "kind": "task", **columns}
    task.write("ticketdesk", "tickets", new)

    assert [one["id"] for one in checks.new_tickets(FACTS, task.view, "task")] == (
        ["TD-9999"] if found else []
    )


@pytest.mark.parametrize(
    "what", ["nothing", "a request", "a closed ticket", "a wrong field", "a stale metric"]
)
def test_a_case_is_left_alone_if_its_metric_is_fresh_and_nothing_else_changed(what: str) -> None:
    task = finished()
    task.erase("approvalflow", "requests", REQUEST)
    if what == "a request":
        task.asked(status="withdrawn")
    if what == "a closed ticket":
        task.write("ticketdesk", "tickets", {**other_ticket(), "status": "closed"})
    if what == "a wrong field":
        task.ticket(cost_centre="CC-000")
    if what == "a stale metric":
        task.write("datahub", "metrics", FACTS.metric)

    assert checks.is_left_alone(FACTS)(task.view) is (what == "nothing")


WRONG = {
    "id": "CA-1",
    "kind": "cost_allocation",
    "name": "Entry",
    "fields": {"cost_centre": "CC-000", "about": "V"},
}


@pytest.mark.parametrize(("centre", "agree"), [(FACTS.cost_centre, True), ("CC-000", False), (None, False)])
def test_records_agree_once_the_wrong_one_has_the_authoritative_cost_centre(
    centre: str | None, agree: bool
) -> None:
    facts, task = replace(FACTS, wrong_record=WRONG), finished()
    task.write("datahub", "records", {**WRONG, "fields": {"cost_centre": centre, "about": "V"}})

    assert checks.records_agree(facts)(task.view) is agree
