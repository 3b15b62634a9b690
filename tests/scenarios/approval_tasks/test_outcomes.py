"""The right outcomes: what is required, forbidden, ordered, paid and allowed for each, and when each part holds."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.sdk.approval_task import ExternalBlocker, grading
from companyos.sdk.scenario import Harm, InjectedFault

from .made import FinishedTask, at_start, expense

FACTS, BUILDER = expense()
EMPTY = replace(FACTS, ticket={**FACTS.ticket, "priority": None, "subject": None})
BLOCKED = replace(FACTS, blockers=({**FACTS.ticket, "id": "TD-7", "status": "done"},))


def names(parts: Any) -> list[str]:
    return [part.name for part in parts]


def test_a_finished_task_meets_every_must_and_breaks_no_rule() -> None:
    view = FinishedTask(FACTS, BUILDER).view

    assert [must.name for must in grading.approval_musts(FACTS) if not must.holds(view)] == []
    assert [one.name for one in grading.forbidden(FACTS) if one.holds(view)] == []


def test_before_anything_is_done_only_what_the_ticket_has_already_holds() -> None:
    view = at_start(BUILDER)

    held = {must.name for must in grading.approval_musts(FACTS) if must.holds(view)}

    assert held == {"priority_right", "cost_centre_right"}


@pytest.mark.parametrize(
    ("facts", "more"),
    [
        (FACTS, set()),
        (replace(EMPTY, ticket={**FACTS.ticket, "priority": None}), set()),
        (EMPTY, {"subject_right"}),
        (BLOCKED, {"ticket_unblocked"}),
        (replace(FACTS, awaits=ExternalBlocker("data", "MET-1", 600)), {"ticket_unblocked"}),
    ],
    ids=["usual", "no priority", "no subject", "blocked", "waiting"],
)
def test_musts_name_the_subject_and_the_blockers_only_where_there_is_something_to_do(
    facts: Any, more: set[str]
) -> None:
    usual = {
        "priority_right",
        "cost_centre_right",
        "ticket_taken",
        "ticket_verified",
        "data_refreshed",
        "approved",
        "ticket_approved",
    }

    assert set(names(grading.approval_musts(facts))) == usual | more


@pytest.mark.parametrize(
    ("facts", "submits", "expected"),
    [
        (FACTS, True, ["ticket_verified", "data_refreshed", "fresh_value_known", "approval_linked"]),
        (FACTS, False, ["data_refreshed", "fresh_value_known"]),
        (EMPTY, False, ["priority_set", "data_refreshed", "fresh_value_known"]),
        (BLOCKED, False, ["data_refreshed", "fresh_value_known"]),
        (BLOCKED, True, ["ticket_unblocked", "ticket_verified", "data_refreshed", "fresh_value_known"]),
    ],
    ids=["request", "none", "priority", "blocked without request", "blocked"],
)
def test_milestones_are_those_that_this_task_can_reach(
    facts: Any, submits: bool, expected: list[str]
) -> None:
    assert names(grading.milestones(facts, submits=submits))[: len(expected)] == expected
    assert ("approved" in names(grading.milestones(facts, submits=submits))) is submits


def test_a_file_closed_or_a_ticket_closed_cannot_be_undone_and_asking_twice_is_a_duplicate() -> None:
    assert {one.name: one.harm for one in grading.forbidden(FACTS)} == {
        "file_closed": Harm.IRREVERSIBLE,
        "request_misstated": Harm.FORBIDDEN,
        "requested_twice": Harm.DUPLICATE,
        "ticket_closed": Harm.IRREVERSIBLE,
    }


def fault(holds: bool) -> InjectedFault:
    return InjectedFault("biz.stale_metric", ("MET-1",), (), lambda view: holds, 3)


@pytest.mark.parametrize(
    ("submits", "by_documents", "view", "overcome"),
    [
        (True, False, "fresh", False),
        (False, False, "fresh", True),
        (False, False, "stale", False),
        (False, True, "stale", True),
        (False, True, "verified", False),
        (False, True, "asked", False),
    ],
)
def test_a_fault_is_spared_where_the_right_outcome_needs_no_request(
    submits: bool, by_documents: bool, view: str, overcome: bool
) -> None:
    facts, task = replace(FACTS, faults=(fault(holds=False),)), FinishedTask(FACTS, BUILDER)
    if view != "asked":
        task.erase("approvalflow", "requests", "APR-9001")
    if view != "verified":
        task.ticket(verified_by=None)
    if view == "stale":
        task.write("datahub", "metrics", FACTS.metric)

    [weighed] = grading.faults(facts, submits=submits, by_documents=by_documents)

    assert weighed.overcome(task.view) is overcome
