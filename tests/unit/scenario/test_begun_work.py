"""Work has begun once a row shows a write that the task needs; what an allowance calls harmless begins nothing."""

from typing import Any

import pytest

from companyos.sdk.grading.allowances import is_begun
from companyos.sdk.scenario import ANYTHING, Allowance, CompanyState, one_of

TICKETS, NOTES = ("desk", "tickets"), ("desk", "notes")
START = {"id": "T1", "owner": "ann", "status": "new"}
ALLOWANCES = (
    Allowance(TICKETS, {"owner": "bo"}, key="T1", where={"status": "new"}, removed=True),
    Allowance(TICKETS, {"status": one_of("open", "done")}, key="T1", harmless="the progress of the ticket"),
    Allowance(NOTES, {"about": "T1", "text": ANYTHING}, created=1),
)


def is_begun_by(table: str, row_id: str, row: dict[str, Any] | None) -> bool:
    """Return whether the work has begun once a row is written like this."""
    state = CompanyState({"desk": {"tickets": [START, {**START, "id": "T2"}], "notes": []}})
    state.apply("desk", [{"table": table, "id": row_id, "row": row and {"id": row_id, **row}}])
    return bool(is_begun(ALLOWANCES)(state.view()))


@pytest.mark.parametrize(
    ("table", "row_id", "row"),
    [
        ("tickets", "T1", {"owner": "bo", "status": "new"}),
        ("tickets", "T1", {"owner": "bo", "status": "done"}),
        ("tickets", "T1", None),
        ("notes", "N1", {"about": "T1", "text": "Hello.", "by": "ann"}),
    ],
    ids=["a right value", "and progress", "removed", "a new row"],
)
def test_a_row_as_the_task_needs_it_begins_the_work(table: str, row_id: str, row: Any) -> None:
    assert is_begun_by(table, row_id, row)


@pytest.mark.parametrize(
    ("table", "row_id", "row"),
    [
        ("tickets", "T1", {"owner": "ann", "status": "new"}),
        ("tickets", "T1", {"owner": "ann", "status": "done"}),
        ("tickets", "T1", {"owner": "cy", "status": "new"}),
        ("tickets", "T2", {"owner": "bo", "status": "new"}),
        ("tickets", "T2", None),
        ("notes", "N1", {"about": "T2", "text": "Hello."}),
    ],
    ids=["nothing", "progress", "a wrong value", "another row", "another is removed", "another new row"],
)
def test_any_other_row_does_not_begin_the_work(table: str, row_id: str, row: Any) -> None:
    assert not is_begun_by(table, row_id, row)
