"""The checks of suspects: what each reader of a notice finds, and that the failed feeds show only with the notices."""

from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.draws import Draws
from scenarios.data_quality_audit.checks import Check, Count, Item, draw_checks, draw_closing, draw_count
from scenarios.data_quality_audit.estate import (
    FAILED,
    FIRST,
    PLANS,
    THIRD,
    Differences,
    Plan,
    Tolerance,
    draw_tolerance,
    third_has_failed,
)
from scenarios.data_quality_audit.papers import REASONS, draw_reason

#: Feeds may differ by four percent.
FOUR = Tolerance(in_force=40, superseded=60, draft=20)
NUMBERS = range(300)
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


@cache
def drawn(pair: int) -> tuple[Tolerance, Plan, Count, bool, dict[str, dict[str, Check]]]:
    """Return the tolerance, the plan, both kinds of checks and whether the third has failed."""
    draws = Draws("checks", pair)
    tolerance, plan, third = draw_tolerance(draws), PLANS[pair % len(PLANS)], pair % 3 == 0
    third = third and "both" not in plan.causes
    differences = Differences(draws, tolerance)
    count = draw_count(draws, differences, tolerance, failed=third)
    return tolerance, plan, count, third, draw_checks(draws, differences, tolerance, plan, count, third=third)


def drawn_causes() -> Iterator[tuple[int, Tolerance, Count, dict[str, Check], frozenset[str], bool]]:
    """Yield a pair, its tolerance, its checks, the failed of the first two, and whether the third has failed."""
    for pair in range(24):
        tolerance, plan, count, third, by_cause = drawn(pair)
        for cause in plan.causes:
            yield pair, tolerance, count, by_cause[cause], FAILED[cause], third


def above(sizes: dict[str, float], limit: float) -> set[str]:
    return {name for name, size in sizes.items() if size > limit}


def test_the_corrected_difference_of_a_failed_feed_and_of_no_other_exceeds_the_tolerance() -> None:
    for _, tolerance, _, checks, failed, _ in drawn_causes():
        off, limit = {name: abs(one.truly_off) for name, one in checks.items()}, tolerance.in_force / 1000
        assert above(off, limit) == failed
        assert all(abs(size - limit) < 0.001 for size in off.values())


def test_failed_feeds_show_at_no_tolerance_without_notices_nor_at_the_right_one_with_outdated_ones() -> None:
    for pair, tolerance, count, checks, failed, third in drawn_causes():
        unread = {name: one.unread_off for name, one in checks.items()} | {THIRD: abs(count.booked_off)}
        undated = {name: one.undated_off for name, one in checks.items()}
        all_failed = failed | ({THIRD} if third else set())
        assert all_failed not in [above(unread, tenths / 1000) for tenths in range(5, 121)], pair
        assert all(one.item.applies for one in checks.values()) or (
            above(undated, tolerance.in_force / 1000) != failed
        ), pair


def test_the_verdict_on_the_feed_whose_notice_ends_with_the_close_turns_on_that_day() -> None:
    for pair, tolerance, _, checks, failed, _ in drawn_causes():
        name = draw_closing(Draws("checks", pair))
        one = checks[name]
        other = one.unread_off if one.item.applies else one.undated_off
        assert (other > tolerance.in_force / 1000) is (name not in failed), pair


def test_items_are_those_of_the_pair_apply_to_either_feed_or_both_and_give_nothing_away() -> None:
    applying, sizes = Counter[tuple[bool, ...]](), []
    for pair in range(24):
        tolerance, plan, _, _, by_cause = drawn(pair)
        first, second = ({name: one.item for name, one in found.items()} for found in by_cause.values())
        assert first == second
        assert {*by_cause} == {*plan.causes}
        applying[tuple(one.applies for one in first.values())] += 1
        for one in first.values():
            size = abs(one.share) * 1000 / tolerance.in_force
            sizes += [size] * one.applies
            assert one.applies or 0.69 < size < 1.31
    assert set(applying) == {(True, False), (False, True), (True, True)}
    assert min(sizes) < 1.4 < 2 < max(sizes)


@pytest.mark.parametrize("failed", [True, False])
def test_booked_rows_alone_say_either_where_others_count_and_the_truth_where_none_do(*, failed: bool) -> None:
    said = Counter[bool | None]()
    for number in range(40):
        draws = Draws("count", number)
        one = draw_count(draws, Differences(draws, FOUR), FOUR, failed=failed)
        assert (abs(one.truly_off) > 0.04) is failed
        if one.applies:
            # The sum of more rows is larger, so the feed exceeds it by less.
            assert one.booked_off > one.truly_off
        else:
            assert one.booked_off == one.truly_off
            assert (one.booked_off > 0) is failed
        said[abs(one.booked_off) > 0.04 if one.applies else None] += 1
    assert 10 < said[None] < 30
    assert min(said[True], said[False]) >= 4


def test_of_the_other_editions_one_is_clearly_stricter_and_one_clearly_laxer() -> None:
    tolerances = [draw_tolerance(Draws("tolerance", number)) for number in NUMBERS]

    for one in tolerances:
        strict, lax = sorted((one.superseded, one.draft))
        assert 5 <= strict <= one.in_force - 10
        assert one.in_force + 10 <= lax <= one.in_force + 40
        assert 15 <= one.in_force <= 80
    assert 110 < sum(one.superseded > one.in_force for one in tolerances) < 190


def test_a_plan_has_two_causes_and_a_release_is_lacking_in_one_instance_of_a_quarter() -> None:
    lacking = [plan for plan in PLANS if plan.lacks_release]

    assert all(len({*plan.causes}) == 2 and {*plan.causes} <= {*FAILED} for plan in PLANS)
    assert [sum(FIRST in FAILED[cause] for cause in plan.causes) for plan in lacking] == [1, 1]
    assert len(lacking) * 4 == len(PLANS)


@pytest.mark.parametrize(
    ("plan", "low", "high"),
    [
        (Plan(("first", "second")), 0.3, 0.5),
        (Plan(("neither", "second")), 0.5, 0.7),
        (Plan(("first", "both")), 0.0, 0.0),
        (Plan(("both", "second")), 0.0, 0.0),
        (Plan(("first", "second"), lacks_release=True), 0.0, 0.0),
    ],
    ids=["one of two", "perhaps none", "perhaps both", "both first", "lacks a release"],
)
def test_the_third_feed_fails_most_often_if_no_other_may_have(plan: Plan, low: float, high: float) -> None:
    failing = sum(third_has_failed(Draws("third", number), plan) for number in NUMBERS)

    assert low <= failing / len(NUMBERS) <= high


def test_differences_lie_close_on_their_side_of_the_tolerance_and_their_sign_reveals_nothing() -> None:
    signs, sizes, misleading = Counter[tuple[bool, bool]](), (set[float](), set[float]()), 0
    for number in NUMBERS:
        differences = Differences(Draws("off", number), FOUR)
        shares = [differences.share("one", failed=failed) for failed in (False, True)]
        for failed in (False, True):
            sizes[failed].add(abs(shares[failed]))
            assert abs(shares[failed]) == differences.size("one", failed=failed)
        signs[shares[0] > 0, shares[1] > 0] += 1
        misleading += abs(differences.misleading("one")) > 0.04
    assert [(min(one), max(one)) for one in sizes] == [(0.0391, 0.0397), (0.0403, 0.0409)]
    assert set(signs) == {(True, True), (False, False)}
    assert min(signs.values()) > 110
    assert 110 < misleading < 190


def test_a_reason_joins_a_word_of_either_list() -> None:
    reasons = {draw_reason(Draws("reason", number)) for number in range(900)}

    assert reasons == {f"{one}_{other}" for one in REASONS[0] for other in REASONS[1]}
