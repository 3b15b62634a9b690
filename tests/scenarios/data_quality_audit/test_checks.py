"""The checks of suspects: what each reader of a notice would find, and that nobody succeeds without notices."""

from collections import Counter
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.draws import Draws
from scenarios.data_quality_audit import checks
from scenarios.data_quality_audit.checks import (
    Check,
    Count,
    Item,
    draw_checks,
    draw_closing,
    draw_count,
)
from scenarios.data_quality_audit.estate import (
    FAILED,
    FIRST,
    PLANS,
    SECOND,
    THIRD,
    Differences,
    Plan,
    Tolerance,
    draw_tolerance,
)

#: Feeds may differ by four percent.
FOUR = Tolerance(in_force=40, superseded=60, draft=20)
#: What the ledger holds on top if a feed that is five percent off agrees with its control total.
HIDING = 1 - 1 / 1.05


def check(truly_off: float, share: float = 0.0, *, applies: bool = True) -> Check:
    return Check(truly_off, Item(share, applies))


def test_without_an_item_every_reader_finds_the_true_difference() -> None:
    one = check(0.05)

    assert one.unread_off == pytest.approx(0.05)
    assert one.undated_off == pytest.approx(0.05)


@pytest.mark.parametrize("truly_off", [0.05, -0.05])
def test_a_difference_has_one_size_in_either_direction(truly_off: float) -> None:
    assert check(truly_off).unread_off == pytest.approx(0.05)


def test_an_item_that_applies_can_hide_a_difference_from_who_does_not_read() -> None:
    # The feed is 100, the corrected control total 80, and the ledger holds 20 on top.
    hidden = check(0.25, 0.2)

    assert hidden.unread_off == pytest.approx(0.0)
    assert hidden.undated_off == pytest.approx(0.25)


def test_an_item_that_applies_can_make_a_sound_feed_look_failed_to_who_does_not_read() -> None:
    # The feed is 100, the corrected control total 100, and the ledger lacks 20.
    sound = check(0.0, -0.2)

    assert sound.unread_off == pytest.approx(0.25)
    assert sound.undated_off == pytest.approx(0.0)


def test_an_item_that_does_not_apply_misleads_only_who_ignores_its_days() -> None:
    # The control total is 100, and the ledger held 20 on top until last week.
    over = check(0.0, 0.2, applies=False)

    assert over.unread_off == pytest.approx(0.0)
    assert over.undated_off == pytest.approx(0.25)


SHARES = st.floats(-0.3, 0.3)


@given(SHARES, SHARES)
def test_reading_an_applicable_item_gives_the_true_difference(truly_off: float, share: float) -> None:
    assert check(truly_off, share).undated_off == pytest.approx(abs(truly_off), abs=1e-9)


@given(SHARES, SHARES)
def test_uncorrected_difference_is_true_if_no_item_applies(truly_off: float, share: float) -> None:
    one = check(truly_off, share, applies=False)

    assert one.unread_off == pytest.approx(abs(truly_off), abs=1e-9)


@pytest.mark.parametrize(("tenths", "above"), [(39, {"a", "b"}), (40, {"b"}), (41, set())])
def test_only_what_differs_by_more_than_a_tolerance_is_above_it(tenths: int, above: set[str]) -> None:
    assert checks._above({"a": 0.04, "b": 0.0405}, tenths) == above


@pytest.mark.parametrize(
    ("one", "turns"),
    [
        (check(0.05, HIDING), True),
        (check(0.05), False),
        (check(0.03, -0.2), True),
        (check(0.05, -0.04, applies=False), True),
        (check(0.05, -0.2, applies=False), False),
    ],
    ids=[
        "failed, hidden",
        "failed, no item",
        "sound, looks failed",
        "failed, looks sound",
        "failed either way",
    ],
)
def test_a_verdict_turns_on_the_days_if_the_other_reading_finds_the_opposite(one: Check, turns: bool) -> None:
    assert checks._turns(one, FOUR) is turns


def rests(first: Check, second: Check, *failed: str, booked_off: float = 0.0) -> bool:
    """Return whether the failed feeds of a pair of checks can be found only with the notices."""
    both = {FIRST: first, SECOND: second}
    count = Count(booked_off, booked_off, applies=False)
    return checks._rest_on_notices(both, count, frozenset(failed), FOUR)


def test_feeds_that_any_tolerance_tells_apart_need_no_notices() -> None:
    assert not rests(check(0.05), check(0.03), FIRST)
    assert not rests(check(0.5), check(0.45), FIRST, SECOND)


def test_a_failed_feed_that_seems_to_differ_less_than_a_sound_one_needs_a_notice() -> None:
    hidden = check(0.05, HIDING)

    assert rests(hidden, check(0.03), FIRST)


def test_lax_tolerance_finds_without_notices_that_all_feeds_passed() -> None:
    assert not rests(check(0.03), check(0.03))
    assert not rests(check(0.03, -0.07), check(0.03))


def test_an_item_beyond_every_tolerance_keeps_the_lax_from_finding_that_none_has_failed() -> None:
    assert rests(check(0.03, -0.2), check(0.03, -0.2))


def test_the_rows_of_the_dataset_are_compared_as_well() -> None:
    hidden = check(0.05, HIDING)

    assert not rests(hidden, check(0.03), THIRD, booked_off=0.07)
    assert rests(hidden, check(0.03), FIRST, THIRD, booked_off=0.07)


def test_pair_rests_on_notices_only_if_an_outdated_one_misleads() -> None:
    harmless, harmful = (check(0.03, share, applies=False) for share in (0.005, 0.05))
    hidden = check(0.05, HIDING)

    assert not rests(hidden, harmless, FIRST)
    assert not rests(hidden, harmless, FIRST, THIRD, booked_off=0.07)
    assert rests(hidden, harmful, FIRST)


PAIRS = range(24)


@cache
def drawn(pair: int) -> tuple[Tolerance, Plan, Count, bool, dict[str, dict[str, Check]]]:
    """Return the tolerance, the plan, both kinds of checks and whether the third has failed."""
    draws = Draws("checks", pair)
    tolerance, plan, third = draw_tolerance(draws), PLANS[pair % len(PLANS)], pair % 3 == 0
    third = third and "both" not in plan.causes
    differences = Differences(draws, tolerance)
    count = draw_count(draws, differences, tolerance, failed=third)
    return tolerance, plan, count, third, draw_checks(draws, differences, tolerance, plan, count, third=third)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_notices_are_the_same_for_each_cause(pair: int) -> None:
    *_, by_cause = drawn(pair)

    items = [{name: one.item for name, one in found.items()} for found in by_cause.values()]
    assert len(items) == 2
    assert items[0] == items[1]


@pytest.mark.parametrize("pair", PAIRS)
def test_the_corrected_difference_of_a_failed_feed_and_of_no_other_exceeds_the_tolerance(pair: int) -> None:
    tolerance, plan, _, _, by_cause = drawn(pair)

    for cause in plan.causes:
        off = {name: abs(one.truly_off) for name, one in by_cause[cause].items()}
        assert checks._above(off, tolerance.in_force) == FAILED[cause]
        assert all(abs(size - tolerance.in_force / 1000) < 0.001 for size in off.values())


@pytest.mark.parametrize("pair", PAIRS)
def test_uncorrected_differences_reveal_the_failed_feeds_at_no_tolerance(pair: int) -> None:
    _, plan, count, third, by_cause = drawn(pair)

    for cause in plan.causes:
        failed = FAILED[cause] | ({THIRD} if third else set())
        unread = {name: one.unread_off for name, one in by_cause[cause].items()}
        unread[THIRD] = abs(count.booked_off)
        assert failed not in [
            {name for name in unread if unread[name] > tenths / 1000} for tenths in range(5, 121)
        ]


@pytest.mark.parametrize("pair", PAIRS)
def test_the_feed_whose_notice_ends_with_the_close_turns_on_that_day(pair: int) -> None:
    tolerance, plan, *_, by_cause = drawn(pair)
    closing = draw_closing(Draws("checks", pair))

    assert all(checks._turns(by_cause[cause][closing], tolerance) for cause in plan.causes)


def test_items_apply_to_either_feed_or_both_and_some_exceed_every_tolerance() -> None:
    applying, sizes = Counter[tuple[bool, ...]](), []
    for pair in PAIRS:
        tolerance, plan, *_, by_cause = drawn(pair)
        items = [one.item for one in by_cause[plan.causes[0]].values()]
        applying[tuple(one.applies for one in items)] += 1
        sizes += [abs(one.share) * 1000 / tolerance.in_force for one in items if one.applies]

    assert set(applying) == {(True, False), (False, True), (True, True)}
    assert min(sizes) < 1.4 < 2 < max(sizes)


@pytest.mark.parametrize("pair", PAIRS)
def test_an_item_that_does_not_apply_is_never_so_large_that_it_gives_itself_away(pair: int) -> None:
    tolerance, plan, *_, by_cause = drawn(pair)

    for one in by_cause[plan.causes[0]].values():
        if not one.item.applies:
            assert 0.69 < abs(one.item.share) * 1000 / tolerance.in_force < 1.31


def count_of(number: int, *, failed: bool) -> Count:
    draws = Draws("count", number)
    return draw_count(draws, Differences(draws, FOUR), FOUR, failed=failed)


COUNTS = range(40)


@pytest.mark.parametrize("failed", [True, False])
def test_a_dataset_differs_from_its_feed_by_more_than_the_tolerance_only_if_it_has_failed(
    failed: bool,
) -> None:
    assert all((abs(count_of(number, failed=failed).truly_off) > 0.04) is failed for number in COUNTS)


@pytest.mark.parametrize("failed", [True, False])
def test_the_booked_rows_alone_say_either_where_others_count(failed: bool) -> None:
    said = Counter(
        abs(one.booked_off) > 0.04
        for one in (count_of(number, failed=failed) for number in COUNTS)
        if one.applies
    )

    assert min(said[True], said[False]) >= 4


def test_where_no_other_rows_count_the_booked_rows_are_all_that_counts() -> None:
    found = [count_of(number, failed=failed) for number in COUNTS for failed in (True, False)]

    plain = [one for one in found if not one.applies]
    assert 20 < len(plain) < 60
    assert all(one.booked_off == one.truly_off for one in plain)


def test_rows_that_count_as_well_only_add_to_the_booked_ones() -> None:
    """The sum of more rows is larger, so the feed exceeds it by less."""
    for number in COUNTS:
        for failed in (True, False):
            one = count_of(number, failed=failed)
            assert one.booked_off > one.truly_off or not one.applies


def test_where_no_other_rows_count_the_sign_of_a_failed_feed_is_that_of_too_few_rows() -> None:
    for number in COUNTS:
        failed, sound = count_of(number, failed=True), count_of(number, failed=False)
        if not failed.applies:
            assert failed.booked_off > 0 > sound.booked_off
