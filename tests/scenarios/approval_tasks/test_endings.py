"""What documents decide: a case that goes back to its reporter, and one that is refused."""

from typing import Any

import pytest

from companyos.sdk.approval_task import TaskSpec
from companyos.sdk.approval_task.endings import TaskEnding, decided_by
from companyos.sdk.scenario import View

from .made import READ_AT, FinishedTask, made


def spec_of(ending: TaskEnding) -> tuple[TaskSpec, FinishedTask]:
    """Return the right outcome, and a company in which nothing was requested or verified."""
    facts, builder = made("expense_report", ending=ending)
    task = FinishedTask(facts, builder)
    task.erase("approvalflow", "requests", "APR-9001")
    task.write("ticketdesk", "tickets", facts.ticket)
    return decided_by(ending, TaskSpec(facts, "Pay.", submits=True)), task


def met(spec: TaskSpec, view: View) -> set[str]:
    return {must.name for must in spec.musts if must.holds(view)}


def returned(spec: TaskSpec, task: FinishedTask, number: int = 1, **columns: Any) -> View:
    """Return the ticket to its reporter, and return what there is then."""
    facts = spec.facts
    row = {
        "id": f"R-{number}",
        "ticket_id": facts.ticket["id"],
        "returned_by": facts.persona.id,
        "returned_at": READ_AT,
        "references": [*facts.documents, facts.record["id"]],
        **columns,
    }
    task.write("ticketdesk", "returns", row)
    task.write("ticketdesk", "tickets", {**facts.ticket, "status": "returned"})
    return task.view


def test_a_case_that_goes_back_is_done_once_it_was_returned_with_both_named() -> None:
    spec, task = spec_of(TaskEnding.RETURNED)

    before, after = met(spec, task.view), met(spec, returned(spec, task))

    assert before == {"ticket_sound"}
    assert after == {"ticket_sound", "ticket_returned", "return_rests_on_evidence"}
    assert (spec.submits, spec.feasible) == (False, True)


@pytest.mark.parametrize(
    "columns",
    [{"references": []}, {"references": ["DOC-0", "EXP-0"]}, {"returned_by": "ben"}],
    ids=["nothing named", "others named", "by somebody else"],
)
def test_a_return_without_its_evidence_is_a_return_but_does_not_count(columns: dict[str, Any]) -> None:
    spec, task = spec_of(TaskEnding.RETURNED)

    assert met(spec, returned(spec, task, **columns)) == {"ticket_sound", "ticket_returned"}


def test_a_ticket_that_goes_back_twice_was_not_returned_once() -> None:
    spec, task = spec_of(TaskEnding.RETURNED)
    returned(spec, task)

    assert "ticket_returned" not in met(spec, returned(spec, task, number=2))


def test_a_ticket_that_was_taken_up_again_is_not_returned() -> None:
    spec, task = spec_of(TaskEnding.RETURNED)
    returned(spec, task)
    task.write("ticketdesk", "tickets", {**spec.facts.ticket, "status": "triage"})

    assert "ticket_returned" not in met(spec, task.view)


def test_a_forbidden_case_is_refused_after_reading_the_list_and_leaving_the_ticket() -> None:
    spec, task = spec_of(TaskEnding.FORBIDDEN)
    assert spec.facts.exclusions is not None
    before = met(spec, task.view)
    task.read(spec.facts.exclusions["id"])

    assert before == {"ticket_kept", "ticket_sound"}
    assert met(spec, task.view) == {"list_read", "ticket_kept", "ticket_sound"}
    assert met(spec, returned(spec, task)) == {"list_read", "ticket_sound"}
    assert spec.feasible is False


@pytest.mark.parametrize("ending", [TaskEnding.RETURNED, TaskEnding.FORBIDDEN])
def test_neither_request_nor_verification_is_allowed_where_documents_decide(ending: TaskEnding) -> None:
    spec, task = spec_of(ending)
    rules = {one.name: one for one in spec.forbidden}

    assert not any(one.holds(task.view) for one in rules.values())
    assert rules["verified_in_spite"].holds(task.ticket(verified_by="ben"))
    assert rules["needless_request"].holds(task.asked(status="withdrawn"))
