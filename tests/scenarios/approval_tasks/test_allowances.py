"""The writes that an approval task explains, column by column, and those that it does not."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.sdk.approval_task import allowances
from companyos.sdk.company.allowances import (
    RECORDS,
    REQUESTS,
    RETURNS,
    TICKETS,
)
from tests.allowances import unexplained

from .made import expense

FACTS, _ = expense()
ME, OWN = FACTS.persona.id, FACTS.ticket["id"]
EMPTY = replace(FACTS, ticket={**FACTS.ticket, "priority": None, "subject": None})
ENTRY = {"id": "CA-1", "name": "Entry", "fields": {"cost_centre": "CC-0"}}
REFERENCES = [FACTS.record["id"], FACTS.metric["id"], *FACTS.documents]


def unexplained_columns(facts: Any, table: Any, before: Any, **columns: Any) -> set[str]:
    """Return what nothing explains if these columns of a row are written, or a new row with them."""
    given = [*allowances.shared(facts), *allowances.verification(facts), *allowances.requests(facts)]
    row = {**(before or {"id": "NEW-1"}), **columns}
    return set(unexplained(given, table, row, before=before))


@pytest.mark.parametrize(
    ("columns", "outside"),
    [
        ({"assignee": ME, "version": 9, "updated_at": 9}, set()),
        ({"assignee": "zoe.stranger"}, {"assignee"}),
        ({"status": "verified", "evidence": "Checked.", "references": REFERENCES}, set()),
        ({"status": "verified", "references": [*REFERENCES, "V-9999"]}, {"references"}),
        ({"status": "closed"}, {"status"}),
        ({"title": "Another"}, {"title"}),
        ({"priority": "low"}, {"priority"}),
        ({"blocked_by": ["TD-7"]}, {"blocked_by"}),
    ],
    ids=lambda one: "-".join(one) if isinstance(one, dict) else None,
)
def test_the_ticket_may_be_worked_on_with_right_values(columns: dict[str, Any], outside: set[str]) -> None:
    assert unexplained_columns(FACTS, TICKETS, FACTS.ticket, **columns) == outside


def test_empty_fields_may_be_filled_with_right_values_only() -> None:
    right = {"priority": EMPTY.priorities[0], "subject": EMPTY.record["id"]}

    assert unexplained_columns(EMPTY, TICKETS, EMPTY.ticket, **right) == set()
    assert unexplained_columns(EMPTY, TICKETS, EMPTY.ticket, subject="V-9999") == {"subject"}


@pytest.mark.parametrize(
    ("status", "columns", "outside"),
    [
        ("triage", {"status": "verified", "evidence": "Seen.", "references": ["TD-7"]}, set()),
        ("triage", {"status": "done"}, set()),
        ("triage", {"blocked_by": ["TD-8"]}, {"blocked_by"}),
        ("triage", {"assignee": ME}, {"assignee"}),
        ("done", {"evidence": "Seen.", "references": ["TD-7"]}, set()),
        ("done", {"status": "triage", "evidence": None}, {"status", "evidence"}),
    ],
)
def test_a_blocker_may_be_verified_and_finished_but_not_taken_or_reopened(
    status: str, columns: dict[str, Any], outside: set[str]
) -> None:
    blocker = {**FACTS.ticket, "id": "TD-7", "status": status, "assignee": None, "evidence": None}
    blocked, before = replace(FACTS, blockers=(blocker,)), {**blocker, "evidence": "Old."}

    assert unexplained_columns(blocked, TICKETS, before, **columns) == outside
    assert unexplained_columns(FACTS, TICKETS, before, **columns)


def test_a_wrong_record_may_only_be_corrected() -> None:
    facts = replace(FACTS, wrong_record=ENTRY)

    assert not unexplained_columns(
        facts, RECORDS, ENTRY, fields={"cost_centre": FACTS.cost_centre}, version=2
    )
    assert unexplained_columns(facts, RECORDS, ENTRY, fields={"cost_centre": "CC-9"}) == {"fields"}
    assert unexplained_columns(FACTS, RECORDS, ENTRY, fields={"cost_centre": FACTS.cost_centre}) == {"fields"}


@pytest.mark.parametrize(
    ("columns", "outside"),
    [
        ({}, set()),
        ({"approver": "zoe.stranger"}, {"approver"}),
        ({"fields": {"amount": -999}}, {"fields"}),
        ({"ticket_id": "TD-5"}, {"ticket_id"}),
        ({"evidence": {"attachments": [{"reference": FACTS.record["id"]}]}}, set()),
        ({"evidence": {"attachments": [{"reference": (FACTS.exclusions or {})["id"]}]}}, set()),
        ({"evidence": {"attachments": [{"reference": "V-9999"}]}}, {"evidence"}),
    ],
)
def test_a_request_goes_to_those_who_may_decide_and_states_the_truth(
    columns: dict[str, Any], outside: set[str]
) -> None:
    row = {
        "type": FACTS.type_id,
        "requester": ME,
        "approver": FACTS.route.holder,
        "ticket_id": OWN,
        "fields": dict(FACTS.fields),
        "status": "pending",
        "submitted_at": 1,
        "attempt": 1,
    }

    assert unexplained_columns(FACTS, REQUESTS, None, **{**row, **columns}) == outside


def test_a_ticket_that_goes_back_rests_on_its_own_documents() -> None:
    given, before = list(allowances.returned(FACTS)), {**FACTS.ticket, "status": "triage"}
    back = {"id": f"{OWN}-R1", "ticket_id": OWN, "question": "Which?", "references": [FACTS.record["id"]]}

    assert not unexplained(given, TICKETS, {**before, "status": "returned"}, before=before)
    assert not unexplained(given, RETURNS, back)
    assert unexplained(given, RETURNS, {**back, "references": ["V-9999"]}) == {"references"}
