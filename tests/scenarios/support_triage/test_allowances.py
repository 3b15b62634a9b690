"""The writes that a morning explains, column by column, and those that it does not."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.company import Person
from companyos.company.allowances import COMMENTS, JOBS, LINKS, MESSAGES, RETURNS, TICKETS
from scenarios.support_triage import allowances
from scenarios.support_triage.allowances import ANSWERS, MERGES, PLACEMENTS
from scenarios.support_triage.cases import CHANGED, NUDGED, WITHDRAWN, SupportCase
from scenarios.support_triage.facts import Facts
from tests.allowances import unexplained

from .mornings import SERVICES, rulebook
from .worked import (
    AGENT,
    CASES,
    CONTRACT,
    DUPLICATE,
    FIXED,
    FOREIGN,
    INCIDENT,
    QUESTION,
    VAGUE,
    answer,
    link,
    placement,
    ticket,
    with_intervention,
)

CUSTOMER, LEAD = "cleo.customer", "lia.lead"
FACTS = Facts(
    cause="first_down",
    is_feasible=True,
    me=Person(AGENT, "Sam", "support_agent", "Support"),
    lead=Person(LEAD, "Lia", "support_lead", "Support"),
    services=SERVICES,
    cases=CASES,
    contacts={case.ticket_id: Person(CUSTOMER, "Cleo", "customer_contact", "Aster") for case in CASES},
    handbook="DOC-BOOK",
    rules=rulebook(),
    text="",
)


def outside(table: Any, row: dict[str, Any], before: Any = None, *cases: SupportCase) -> set[str]:
    """Return what nothing explains of a write in a morning with these tickets."""
    facts = replace(FACTS, cases=cases or CASES)
    return set(unexplained(allowances.allowed(facts), table, row, before=before))


@pytest.mark.parametrize(
    ("case", "columns", "expected"),
    [
        (QUESTION, {"priority": "low"}, set()),
        (QUESTION, {"priority": "high"}, {"priority"}),
        (QUESTION, {"assignee": AGENT}, {"assignee"}),
        (QUESTION, {"status": "in_progress"}, {"status"}),
        (QUESTION, {"status": "closed", "resolution": "Done."}, {"status", "resolution"}),
        (QUESTION, {"subject": "ACC-9"}, {"subject"}),
        (QUESTION, {"title": "Another", "cost_centre": "CC-1"}, {"title", "cost_centre"}),
        (INCIDENT, {"assignee": "call.platform"}, set()),
        (INCIDENT, {"assignee": "call.billing"}, {"assignee"}),
        (FIXED, {"status": "closed", "resolution": "Fixed."}, set()),
        (FIXED, {"priority": "low"}, {"priority"}),
        (VAGUE, {"status": "returned"}, set()),
        (VAGUE, {"priority": "low"}, {"priority"}),
        (DUPLICATE, {"status": "closed", "resolution": "Merged."}, set()),
        (DUPLICATE, {"priority": "low"}, {"priority"}),
    ],
)
def test_a_ticket_changes_in_its_right_columns_to_its_right_values(
    case: SupportCase, columns: dict[str, Any], expected: set[str]
) -> None:
    before = ticket(case.ticket_id)

    assert outside(TICKETS, {**before, **columns, "version": 2}, before) == expected
    assert outside(TICKETS, {**before, **columns, "id": FOREIGN}, {**before, "id": FOREIGN}) == {*columns}


@pytest.mark.parametrize(
    ("case", "queue", "is_allowed"),
    [
        (QUESTION, "billing", True),
        (QUESTION, "care", False),
        (replace(QUESTION, first_queue="care"), "care", True),
        (FIXED, "billing", False),
        (VAGUE, "billing", False),
        (DUPLICATE, "billing", False),
    ],
)
def test_a_ticket_goes_to_its_own_queue_alone(case: SupportCase, queue: str, *, is_allowed: bool) -> None:
    before, after = placement(case.ticket_id), placement(case.ticket_id, queue)

    assert (outside(PLACEMENTS, after, before, case) == set()) is is_allowed


def documents(case: SupportCase, *given: str) -> set[str]:
    """Return what nothing explains of an answer with these documents."""
    return outside(ANSWERS, {**answer(case.ticket_id, *given), "body": "See this."}, None, case)


def test_an_answer_has_its_document_and_a_reply_to_a_customer_who_writes_again_none() -> None:
    nudged, changed, withdrawn = (
        with_intervention(QUESTION, kind, at=2000) for kind in (NUDGED, CHANGED, WITHDRAWN)
    )

    assert documents(QUESTION, "DOC-1") == set()
    assert documents(QUESTION, "DOC-2") == documents(QUESTION, "DOC-1", "DOC-2") == {"documents"}
    assert documents(changed, "DOC-0") == documents(changed, "DOC-1") == documents(changed) == set()
    assert documents(nudged) == documents(withdrawn) == set()
    assert documents(withdrawn, "DOC-0") == {"documents"}
    assert documents(VAGUE, "DOC-1")
    assert documents(DUPLICATE, "DOC-1")


@pytest.mark.parametrize(
    ("table", "row", "is_allowed"),
    [
        (JOBS, {"metric_id": "MET-1", "status": "running"}, True),
        (JOBS, {"metric_id": "MET-3", "status": "running"}, False),
        (COMMENTS, {"ticket_id": "TD-1", "author": AGENT, "body": "On it."}, True),
        (COMMENTS, {"ticket_id": "TD-6", "author": AGENT, "body": "On it."}, False),
        (COMMENTS, {"ticket_id": FOREIGN, "author": AGENT, "body": "On it."}, False),
        (MESSAGES, {"recipient": CUSTOMER, "about": "TD-1", "body": "Which one?"}, True),
        (MESSAGES, {"recipient": CUSTOMER, "about": "TD-6", "body": "Which one?"}, False),
        (MESSAGES, {"recipient": LEAD, "about": "TD-801", "body": "It is down."}, True),
        (MESSAGES, {"recipient": "mia.colleague", "about": "TD-1", "body": "Yours?"}, False),
        (LINKS, link("TD-2", "TD-801"), True),
        (LINKS, link("TD-801", "TD-2"), True),
        (LINKS, link("TD-801", "TD-1"), False),
        (LINKS, link("TD-2", "TD-801", kind="blocks"), False),
        (LINKS, link("TD-2", "TD-802"), False),
        (LINKS, link("TD-1", "TD-4", kind="mentions"), False),
        (LINKS, link("TD-6", "TD-1", kind="duplicates"), True),
        (LINKS, link("TD-1", "TD-4", kind="duplicates"), False),
        (MERGES, {"id": "TD-6", "into": "TD-1"}, True),
        (MERGES, {"id": "TD-6", "into": "TD-2"}, False),
        (RETURNS, {"ticket_id": "TD-5", "question": "Which?", "references": ["TD-5", CONTRACT]}, True),
        (RETURNS, {"ticket_id": "TD-5", "question": "Which?", "references": ["ACC-9"]}, False),
        (RETURNS, {"ticket_id": "TD-1", "question": "Which?", "references": []}, False),
        (TICKETS, {"kind": "support_case", "status": "new", "title": "One more"}, False),
    ],
)
def test_a_new_row_is_allowed_if_its_ticket_calls_for_it(
    table: Any, row: dict[str, Any], *, is_allowed: bool
) -> None:
    assert (not outside(table, {"id": "NEW-1", **row})) is is_allowed


@pytest.mark.parametrize("case", [VAGUE, QUESTION], ids=["vague", "question"])
def test_a_frozen_queue_leaves_only_the_rates_and_a_word_to_the_lead(case: SupportCase) -> None:
    given = allowances.allowed(replace(FACTS, is_feasible=False))
    comment = {"id": "C-1", "ticket_id": case.ticket_id, "body": "Frozen."}
    word = {"id": "MSG-1", "recipient": LEAD, "about": "MET-1", "body": "Both are down."}

    assert unexplained(given, COMMENTS, comment)
    assert unexplained(given, TICKETS, ticket(case.ticket_id, priority="low"), before=ticket(case.ticket_id))
    assert not unexplained(given, MESSAGES, word)
    assert not unexplained(given, JOBS, {"id": "JOB-1", "metric_id": "MET-2"})
