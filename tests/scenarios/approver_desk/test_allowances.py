"""The writes that the desk explains, column by column, and those that it does not."""

from typing import Any

import pytest

from companyos.company.allowances import JOBS, MESSAGES, REQUESTS
from scenarios.approver_desk import allowances
from scenarios.approver_desk.allowances import QUESTIONS
from tests.allowances import unexplained

from .outcomes import (
    BOSS,
    DESK,
    ENDED,
    KEEPER,
    MINUTES,
    RIGHT,
    SECOND,
    STAFF,
    Columns,
    approved,
    passed_on,
    rejected,
    waiting,
)


def outside(table: Any, row: Columns, before: Columns | None = None, *, desk: Any = DESK) -> set[str]:
    """Return what nothing explains of a write."""
    return set(unexplained(allowances.allowed(desk), table, row, before=before))


@pytest.mark.parametrize("request_id", list(RIGHT))
def test_the_right_outcome_of_a_request_is_explained_unless_the_cover_has_ended(request_id: str) -> None:
    before, after = waiting(request_id), {**waiting(request_id), **RIGHT[request_id]}

    assert outside(REQUESTS, after, before) == set()
    assert outside(REQUESTS, after, before, desk=ENDED)


@pytest.mark.parametrize(
    ("request_id", "columns", "expected"),
    [
        ("APR-1", rejected("over_budget"), {"status", "reason_code"}),
        ("APR-1", approved(reason="As agreed."), set()),
        ("APR-1", approved(fields={"amount": 1}), {"fields"}),
        ("APR-1", {"evidence": {"attachments": []}}, {"evidence"}),
        ("APR-2", rejected("duplicate"), {"reason_code"}),
        ("APR-3", passed_on(KEEPER), {"approver"}),
        ("APR-3", {"status": "withdrawn"}, {"status"}),
        ("APR-9", approved(), {"status"}),
    ],
)
def test_another_outcome_of_a_request_is_not(request_id: str, columns: Columns, expected: set[str]) -> None:
    before = waiting(request_id)

    assert outside(REQUESTS, {**before, **columns}, before) == expected


@pytest.mark.parametrize(
    ("table", "row", "is_allowed"),
    [
        (JOBS, {"metric_id": "MET-2"}, True),
        (JOBS, {"metric_id": "MET-3"}, False),
        (QUESTIONS, {"request_id": "APR-1", "about": "purpose", "text": "What for?"}, True),
        (QUESTIONS, {"request_id": "APR-9", "about": "purpose", "text": "What for?"}, False),
        (MESSAGES, {"recipient": BOSS, "about": MINUTES, "body": "Done."}, True),
        (MESSAGES, {"recipient": STAFF, "about": "APR-1", "body": "Approved."}, True),
        (MESSAGES, {"recipient": STAFF, "about": "APR-3", "body": "Approved."}, False),
        (MESSAGES, {"recipient": SECOND, "about": "APR-3", "body": "Yours."}, True),
        (MESSAGES, {"recipient": KEEPER, "about": "APR-3", "body": "Yours."}, False),
        (MESSAGES, {"recipient": "zoe.stranger", "about": "APR-1", "body": "Yours."}, False),
        (REQUESTS, {"type": "purchase_approval", "approver": SECOND, "status": "pending"}, False),
    ],
)
def test_a_new_row_is_allowed_if_a_request_calls_for_it(
    table: Any, row: Columns, *, is_allowed: bool
) -> None:
    assert (not outside(table, {"id": "NEW-1", **row})) is is_allowed


@pytest.mark.parametrize(
    ("table", "row", "is_allowed"),
    [
        (JOBS, {"metric_id": "MET-1"}, True),
        (MESSAGES, {"recipient": BOSS, "about": MINUTES, "body": "It has ended."}, True),
        (QUESTIONS, {"request_id": "APR-1", "about": "purpose", "text": "What for?"}, False),
        (MESSAGES, {"recipient": STAFF, "about": "APR-1", "body": "Approved."}, False),
    ],
)
def test_a_cover_that_has_ended_leaves_only_the_ledgers_and_a_word_to_the_colleague_who_asked(
    table: Any, row: Columns, *, is_allowed: bool
) -> None:
    assert (not outside(table, {"id": "NEW-1", **row}, desk=ENDED)) is is_allowed
