"""Which budget of a list may be spent now, and which follows it."""

import pytest

from companyos.sdk.simtime import from_iso
from scenarios.joint_purchase import reading

QUARTERS = [
    {"id": "BUD-3", "starts_at": "2031-07-01T00:00:00Z", "ends_at": "2031-10-01T00:00:00Z"},
    {"id": "BUD-1", "starts_at": "2031-01-01T00:00:00Z", "ends_at": "2031-04-01T00:00:00Z"},
    {"id": "BUD-2", "starts_at": "2031-04-01T00:00:00Z", "ends_at": "2031-07-01T00:00:00Z"},
]


@pytest.mark.parametrize(
    ("now", "budget_id"),
    [
        ("2031-03-31T23:59:59Z", "BUD-1"),
        ("2031-04-01T00:00:00Z", "BUD-2"),
        ("2031-06-30T23:59:59Z", "BUD-2"),
        ("2031-07-01T00:00:00Z", "BUD-3"),
    ],
)
def test_a_budget_may_be_spent_from_its_first_second_to_its_last(now: str, budget_id: str) -> None:
    assert reading.current(QUARTERS, from_iso(now))["id"] == budget_id


def test_the_budget_after_another_begins_when_that_one_ends() -> None:
    assert reading.after(QUARTERS, QUARTERS[1])["id"] == "BUD-2"
    assert reading.after(QUARTERS, QUARTERS[2])["id"] == "BUD-3"
