"""What an agent reads in a chapter of the handbook and in lists of budgets: what their writers write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.simtime import from_iso
from scenarios.joint_purchase import reading, words


@given(st.integers(0, 10**9).map(lambda cents: cents / 100))
def test_an_amount_is_read_as_documents_print_it(amount: float) -> None:
    assert reading.number(f"{amount:,.2f}") == amount


def test_what_a_pattern_does_not_match_is_an_error_that_names_the_pattern() -> None:
    assert reading.found(r"holds until (\S+)", "It holds until Friday.") == "Friday."

    with pytest.raises(LookupError, match="nothing like holds until"):
        reading.found(r"holds until (\S+)", "It held.")


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


CHAPTER = words.POLICY.format(
    equipment=words.BASES["usage"],
    licenses=words.BASES["agreed"],
    courses=words.BASES["head_count"],
    first=2250.0,
    second=14_750.0,
    ways="\n".join(
        words.WAYS[way].format(reserve=1200.0) for way in ("smaller_lot", "next_quarter", "reserve")
    ),
)


def test_a_chapter_is_read_for_bases_signatures_remedies_and_the_limit_of_reserves() -> None:
    rules = reading.rules_of(CHAPTER)

    assert rules.bases == {"equipment": "usage", "licenses": "agreed", "courses": "head_count"}
    assert rules.signing == (2250.0, 14_750.0)
    assert rules.ways == ("smaller_lot", "next_quarter", "reserve")
    assert rules.reserve_most == 1200.0
