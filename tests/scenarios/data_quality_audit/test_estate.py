"""The area under audit: tolerances, plans, differences, and the dashboards on each feed."""

from collections import Counter

import pytest

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY
from scenarios.data_quality_audit.estate import (
    FAILED,
    FIRST,
    PLANS,
    SECOND,
    THIRD,
    Differences,
    Plan,
    Resting,
    Tolerance,
    draw_tolerance,
    third_has_failed,
)
from scenarios.packs.analytics import Board

from .drawings import SEEDS, Drawing, drawing

SOME = SEEDS[:12]
NUMBERS = range(300)


def test_sound_feeds_are_just_within_the_tolerance_and_failed_ones_just_beyond() -> None:
    four = Tolerance(in_force=40, superseded=50, draft=20)

    assert four.sound == (391, 397)
    assert four.failed == (403, 409)


def test_of_the_other_editions_one_is_clearly_stricter_and_one_clearly_laxer() -> None:
    for number in NUMBERS:
        drawn = draw_tolerance(Draws("tolerance", number))
        strict, lax = sorted((drawn.superseded, drawn.draft))
        assert 5 <= strict <= drawn.in_force - 10
        assert drawn.in_force + 10 <= lax <= drawn.in_force + 40
        assert 15 <= drawn.in_force <= 80


def test_a_tolerance_was_lowered_as_often_as_raised() -> None:
    drawn = [draw_tolerance(Draws("tolerance", number)) for number in NUMBERS]
    lowered = sum(one.superseded > one.in_force for one in drawn)

    assert 110 < lowered < 190


def test_the_two_causes_of_a_plan_differ_and_some_suspect_stays_sound_in_each() -> None:
    for plan in PLANS:
        assert plan.causes[0] != plan.causes[1]
        assert {*plan.causes} <= set(FAILED)
        assert len(plan.causes) == 2


def test_a_plan_that_lacks_a_release_needs_it_in_one_of_its_instances_only() -> None:
    lacking = [plan for plan in PLANS if plan.lacks_release]

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


FOUR = Tolerance(in_force=40, superseded=50, draft=20)


@pytest.mark.parametrize(("failed", "low", "high"), [(True, 0.0403, 0.0409), (False, 0.0391, 0.0397)])
def test_a_difference_lies_on_its_side_of_the_tolerance(failed: bool, low: float, high: float) -> None:
    sizes = {Differences(Draws("off", number), FOUR).size("one", failed=failed) for number in NUMBERS}

    assert (min(sizes), max(sizes)) == (low, high)


def test_the_sign_of_a_difference_is_the_same_for_sound_and_failed_feeds_and_reveals_nothing() -> None:
    signs = Counter[tuple[bool, bool]]()

    for number in NUMBERS:
        differences = Differences(Draws("off", number), FOUR)
        signs[differences.share("one", failed=True) > 0, differences.share("one", failed=False) > 0] += 1
        assert abs(differences.share("one", failed=True)) == differences.size("one", failed=True)

    assert set(signs) == {(True, True), (False, False)}
    assert min(signs.values()) > 110


def test_a_misleading_difference_is_as_often_one_of_a_failed_feed_as_of_a_sound_one() -> None:
    beyond = sum(abs(Differences(Draws("off", number), FOUR).misleading("one")) > 0.04 for number in NUMBERS)

    assert 110 < beyond < 190


@pytest.mark.parametrize(("status", "is_active"), [("active", True), ("inactive", False)])
@pytest.mark.parametrize(("use", "is_statutory"), [("statutory", True), ("management", False)])
def test_a_dashboard_knows_whether_it_counts_and_where_it_goes(
    status: str, is_active: bool, use: str, is_statutory: bool
) -> None:
    one = Resting(Board({"status": status, "fields": {"use": use}}, {}), FIRST)

    assert (one.is_active, one.is_statutory) == (is_active, is_statutory)


def upstream(drawn: Drawing, metric_id: str) -> set[str]:
    """Return every metric that one is computed from, directly or through others."""
    [metric] = drawn.rows("metrics", id=metric_id)
    return set(metric["upstream"]).union(*(upstream(drawn, one) for one in metric["upstream"]))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_dashboard_rests_on_its_suspect_and_on_no_other(seed: int) -> None:
    drawn = drawing(seed)
    totals = {name: feed.metric["id"] for name, feed in drawn.facts.suspects.items()}

    for one in drawn.facts.boards:
        on = {name for name, total in totals.items() if total in upstream(drawn, one.board.metric["id"])}
        assert on == ({one.suspect} if one.suspect else set())


@pytest.mark.parametrize("seed", SEEDS)
def test_every_suspect_has_one_to_three_dashboards_and_sound_feeds_two_to_four(seed: int) -> None:
    drawn = drawing(seed)

    plain = [one for one in drawn.facts.boards if one.is_active and not one.is_statutory]
    count = Counter(one.suspect for one in plain)
    assert all(1 <= count[name] <= 3 for name in (FIRST, SECOND, THIRD))
    assert 2 <= count[None] <= 4


@pytest.mark.parametrize("seed", SEEDS)
def test_only_the_first_two_have_statutory_or_retired_dashboards_and_one_of_each_at_most(seed: int) -> None:
    special = Counter(
        (one.suspect, one.is_statutory, one.is_active)
        for one in drawing(seed).facts.boards
        if one.is_statutory or not one.is_active
    )

    assert set(special) <= {(name, which, which) for name in (FIRST, SECOND) for which in (True, False)}
    assert set(special.values()) <= {1}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_retired_dashboard_rests_on_its_suspect_through_a_mart_only(seed: int) -> None:
    drawn = drawing(seed)

    for one in (one for one in drawn.facts.boards if not one.is_active):
        [mart] = drawn.rows("metrics", id=one.board.metric["upstream"][0])
        assert one.board.metric["upstream"] == [mart["id"]]
        assert drawn.facts.suspects[one.suspect or ""].metric["id"] in mart["upstream"]


def test_dashboards_rest_on_suspects_directly_through_marts_and_both() -> None:
    direct = Counter[bool]()

    for seed in SOME:
        facts = drawing(seed).facts
        totals = {feed.metric["id"] for feed in facts.suspects.values()}
        direct.update(bool(totals & {*one.board.metric["upstream"]}) for one in facts.boards if one.suspect)

    assert min(direct[True], direct[False]) > 10


@pytest.mark.parametrize("seed", SOME)
def test_a_mart_of_a_suspect_is_shared_with_a_sound_feed(seed: int) -> None:
    drawn = drawing(seed)
    sound = {feed.metric["id"] for feed in drawn.facts.feeds[3:]}
    suspects = {feed.metric["id"] for feed in drawn.facts.suspects.values()}

    marts = [row for row in drawn.rows("metrics", name="mart_total") if suspects & {*row["upstream"]}]

    assert len(marts) == 3
    assert all(sound & {*row["upstream"]} for row in marts)


@pytest.mark.parametrize("seed", SOME)
def test_of_the_sound_feeds_one_has_jumped_one_is_stale_and_all_have_moved(seed: int) -> None:
    drawn = drawing(seed)
    jumped, stale, ordinary = drawn.facts.feeds[3:]

    def values(metric_id: str) -> list[float]:
        changes = sorted(drawn.rows("changes", object_id=metric_id), key=lambda row: int(row["at"]))
        return [row["after"]["value"] for row in changes]

    for feed in (jumped, stale, ordinary):
        *_, before, last = values(feed.metric["id"])
        assert before != last
    *_, before, last = values(jumped.metric["id"])
    assert last > 1.5 * before
    assert drawn.company.start - stale.metric["as_of"] >= 33 * DAY > stale.metric["ttl_s"]
    assert drawn.company.start - ordinary.metric["as_of"] < DAY


@pytest.mark.parametrize("seed", SOME)
def test_every_sound_feed_agrees_with_its_refreshed_control_total(seed: int) -> None:
    drawn = drawing(seed)
    limit = float(drawn.facts.rules["body"].split("more than ")[1].split(" percent")[0]) / 100

    for feed in drawn.facts.feeds[3:]:
        assert feed.control is not None
        right = drawn.fresh(feed.control["id"])
        assert abs(feed.metric["value"] - right) < limit * right
