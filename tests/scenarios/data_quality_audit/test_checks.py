"""The checks of suspects: what each reader of a notice finds, and that the failed feeds show only with the notices."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.draws import Draws
from scenarios.data_quality_audit.checks import Check, Item, draw_checks, draw_count
from scenarios.data_quality_audit.estate import (
    FAILED,
    PLANS,
    THIRD,
    Differences,
    draw_tolerance,
)

SHARES = st.floats(-0.3, 0.3)


@pytest.mark.parametrize(
    ("one", "unread", "undated"),
    [
        (Check(0.05, Item(0.0, applies=True)), 0.05, 0.05),
        (Check(-0.05, Item(0.0, applies=True)), 0.05, 0.05),
        # The feed is 100, the corrected control total 80, and the ledger holds 20 on top.
        (Check(0.25, Item(0.2, applies=True)), 0.0, 0.25),
        # The feed is 100, the corrected control total 100, and the ledger lacks 20.
        (Check(0.0, Item(-0.2, applies=True)), 0.25, 0.0),
        # The control total is 100, and the ledger held 20 on top until last week.
        (Check(0.0, Item(0.2, applies=False)), 0.0, 0.25),
    ],
    ids=["no item", "other direction", "hides a failure", "accuses a sound feed", "is over"],
)
def test_an_item_misleads_readers_who_skip_it_or_ignore_its_days(
    one: Check, unread: float, undated: float
) -> None:
    assert one.unread_off == pytest.approx(unread)
    assert one.undated_off == pytest.approx(undated)


@given(SHARES, SHARES, st.booleans())
def test_an_item_misleads_nobody_who_reads_it_with_its_days(
    truly_off: float, share: float, applies: bool
) -> None:
    one = Check(truly_off, Item(share, applies))

    assert (one.undated_off if applies else one.unread_off) == pytest.approx(abs(truly_off), abs=1e-9)


def above(sizes: dict[str, float], limit: float) -> set[str]:
    return {name for name, size in sizes.items() if size > limit}


@pytest.mark.parametrize("pair", range(24))
def test_failed_feeds_show_at_no_tolerance_without_notices_nor_at_the_right_one_with_outdated_ones(
    pair: int,
) -> None:
    draws, plan = Draws("checks", pair), PLANS[pair % len(PLANS)]
    tolerance, third = draw_tolerance(draws), pair % 3 == 0 and "both" not in plan.causes
    differences = Differences(draws, tolerance)
    count = draw_count(draws, differences, tolerance, failed=third)
    by_cause = draw_checks(draws, differences, tolerance, plan, count, third=third)

    for cause, checks in by_cause.items():
        unread = {name: one.unread_off for name, one in checks.items()} | {THIRD: abs(count.booked_off)}
        undated = {name: one.undated_off for name, one in checks.items()}
        failed = FAILED[cause] | ({THIRD} if third else set())
        is_over = not all(one.item.applies for one in checks.values())
        assert failed not in [above(unread, tenths / 1000) for tenths in range(5, 121)]
        assert not is_over or above(undated, tolerance.in_force / 1000) != FAILED[cause]
