"""The rules of prices: what is tolerated, what is claimed, and how an instance's versions of them differ."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.invoice_match.reading import Rules
from scenarios.invoice_match.terms import Terms, Version, draw_terms

from .piles import EXCESS, SPARING, empty_pile

CENTS = st.integers(1, 10**6)
VERSIONS = st.sampled_from((SPARING, EXCESS, Version(1.4, 22.0, 3.0, False), Version(3.4, 48.0, 0.5, True)))


def euros(cents: int) -> float:
    return round(cents / 100, 2)


@cache
def terms(seed: int) -> Terms:
    return draw_terms(empty_pile(seed).company, stopped=False)


@pytest.mark.parametrize(
    ("ordered", "tolerated"),
    [(100.0, 2.0), (1499.0, 29.98), (1500.0, 30.0), (1501.0, 30.0), (9000.0, 30.0), (0.0, 0.0)],
    ids=["percent", "below the cap", "at the cap", "above the cap", "far above", "nothing ordered"],
)
def test_tolerance_grows_in_percent_up_to_the_cap(ordered: float, tolerated: float) -> None:
    assert SPARING.tolerated(ordered) == tolerated


@pytest.mark.parametrize(
    ("billed", "claimed"),
    [(99.0, 0.0), (100.0, 0.0), (101.99, 0.0), (102.0, 0.0), (102.01, 0.01), (110.0, 8.0)],
    ids=["less", "as ordered", "a cent below", "at the tolerance", "a cent beyond", "far beyond"],
)
def test_only_what_goes_beyond_the_tolerance_is_claimed(billed: float, claimed: float) -> None:
    assert EXCESS.claim(100.0, billed) == claimed


@pytest.mark.parametrize(
    ("billed", "claimed"),
    [(101.99, 0.0), (102.0, 0.0), (102.01, 0.51), (110.0, 8.5)],
    ids=["a cent below", "at the tolerance", "a cent beyond", "far beyond"],
)
def test_beyond_the_tolerance_all_but_a_fixed_amount_of_the_difference_is_claimed(
    billed: float, claimed: float
) -> None:
    assert SPARING.claim(100.0, billed) == claimed


def test_a_claim_leaves_no_more_than_the_whole_difference_if_less_is_tolerated_than_spared() -> None:
    version = Version(percent=1.0, cap=30.0, spared=3.0, claims_missing=True)

    assert [version.claim(100.0, billed) for billed in (102.0, 103.0, 103.01)] == [0.0, 0.0, 0.01]


@pytest.mark.parametrize(("billed", "claimed"), [(5030.0, 0.0), (5030.01, 0.01), (5100.0, 70.0)])
def test_a_large_line_is_held_against_the_cap_and_not_the_percentage(billed: float, claimed: float) -> None:
    assert EXCESS.claim(5000.0, billed) == claimed


@given(VERSIONS, CENTS, CENTS, CENTS)
def test_a_line_that_is_billed_higher_never_has_a_smaller_claim(
    version: Version, ordered: int, billed: int, more: int
) -> None:
    assert version.claim(euros(ordered), euros(billed)) <= version.claim(euros(ordered), euros(billed + more))


@given(CENTS, CENTS)
def test_claim_and_tolerated_increase_add_up_to_the_difference(ordered: int, more: int) -> None:
    difference, tolerated = euros(more), EXCESS.tolerated(euros(ordered))

    claimed = EXCESS.claim(euros(ordered), euros(ordered + more))

    assert round(claimed + min(difference, tolerated), 2) == difference


@given(CENTS, CENTS)
def test_a_wider_tolerance_never_leads_to_a_larger_excess(ordered: int, more: int) -> None:
    wider = Version(EXCESS.percent + 0.1, EXCESS.cap + 1, None, claims_missing=False)
    billed = euros(ordered + more)

    assert wider.claim(euros(ordered), billed) <= EXCESS.claim(euros(ordered), billed)


@pytest.mark.parametrize("version", [SPARING, EXCESS], ids=["sparing", "excess"])
@pytest.mark.parametrize("billed", [99.0, 102.0, 102.01, 104.5, 300.0])
def test_the_agents_reading_of_the_rules_claims_what_the_rules_claim(version: Version, billed: float) -> None:
    read = Rules(version.percent, version.cap, version.spared, version.claims_missing, "payment_stop")

    assert read.claim(100.0, billed) == version.claim(100.0, billed)


@pytest.mark.parametrize("seed", range(12))
def test_the_edition_before_tolerates_more_and_a_draft_tolerates_less(seed: int) -> None:
    now, before, draft = terms(seed).now, terms(seed).before, terms(seed).draft

    for ordered in (300.0, 1600.0, 5000.0):
        assert draft.tolerated(ordered) < now.tolerated(ordered) < before.tolerated(ordered)


@pytest.mark.parametrize("seed", range(12))
def test_other_editions_of_the_rules_lead_to_different_claims(seed: int) -> None:
    drawn = terms(seed)
    billed = 1000.0 + drawn.before.tolerated(1000.0) + 5

    claims = [one.claim(1000.0, billed) for one in (drawn.now, drawn.before, drawn.draft)]

    assert len(set(claims)) == 3


@pytest.mark.parametrize("seed", range(12))
def test_the_other_editions_treat_missing_goods_the_other_way(seed: int) -> None:
    drawn = terms(seed)

    assert drawn.before.claims_missing == drawn.draft.claims_missing == (not drawn.now.claims_missing)


@pytest.mark.parametrize("seed", range(12))
def test_the_edition_before_claims_by_the_other_rule(seed: int) -> None:
    drawn = terms(seed)

    assert (drawn.now.spared is None) == (drawn.before.spared is not None)
    assert (drawn.now.spared is None) == (drawn.draft.spared is None)


def test_spared_amount_is_less_than_the_tolerance_of_an_ordinary_line() -> None:
    for seed in range(40):
        now = terms(seed).now
        assert now.spared is None or 0.5 <= now.spared < now.tolerated(300.0)


def test_rules_of_every_sort_are_drawn() -> None:
    drawn = [terms(seed).now for seed in range(40)]

    assert {(one.spared is None, one.claims_missing) for one in drawn} == {
        (True, True),
        (True, False),
        (False, True),
        (False, False),
    }
    assert len({one.percent for one in drawn}) > 8
    assert len({one.cap for one in drawn}) > 8


@pytest.mark.parametrize("stopped", [True, False])
def test_a_payment_stop_changes_none_of_the_rules(stopped: bool) -> None:
    drawn = draw_terms(empty_pile(3).company, stopped=stopped)

    assert drawn.stopped is stopped
    assert (drawn.now, drawn.before, drawn.draft) == (terms(3).now, terms(3).before, terms(3).draft)
