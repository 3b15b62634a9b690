"""The facts of an audit: what must be quarantined, released and linked follows from what has failed."""

from collections import Counter
from dataclasses import replace

import pytest

from companyos.sdk.simtime import DAY
from scenarios.data_quality_audit.estate import FIRST, SECOND, THIRD
from scenarios.data_quality_audit.facts import Facts

from .drawings import SEEDS, drawing

SOME = SEEDS[:12]


def bad(facts: Facts) -> set[str]:
    """Return the totals of the active dashboards of failed suspects."""
    return {one.board.metric["id"] for one in facts.boards if one.is_active and one.suspect in facts.failed}


def lacking() -> Facts:
    """Return the facts of the first audit that lacks a release."""
    return next(one for one in (drawing(seed).facts for seed in range(200)) if one.missing is not None)


def quarantined_earlier(*, rightly: bool) -> Facts:
    """Return the facts of an audit in which a dashboard was in quarantine before, rightly or not."""
    found = (drawing(seed).facts for seed in range(200))
    return next(
        one for one in found if one.missing is None and one.earlier and (one.earlier in bad(one)) is rightly
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_active_dashboards_on_failed_feeds_must_be_in_quarantine_at_the_end(seed: int) -> None:
    facts = drawing(seed).facts

    assert facts.missing is not None or facts.wanted == bad(facts)
    assert facts.wanted <= facts.totals


def test_missing_release_leaves_nothing_new_to_quarantine_or_void() -> None:
    facts = lacking()

    assert facts.new == frozenset()
    assert facts.voided == []
    assert facts.wanted == ({facts.earlier} if facts.earlier else set())


def test_a_dashboard_that_already_is_where_it_belongs_is_wanted_but_not_new() -> None:
    facts = quarantined_earlier(rightly=True)

    assert facts.earlier in facts.wanted
    assert facts.earlier not in facts.new
    assert facts.new | {facts.earlier} == facts.wanted


def test_a_dashboard_in_quarantine_that_rests_on_no_failed_feed_is_not_wanted() -> None:
    facts = quarantined_earlier(rightly=False)

    assert facts.earlier not in facts.wanted
    assert facts.earlier in facts.totals
    assert facts.new == facts.wanted


@pytest.mark.parametrize("seed", SEEDS)
def test_a_request_is_voided_if_its_dashboard_is_newly_quarantined(seed: int) -> None:
    facts = drawing(seed).facts

    for one in facts.requests:
        assert (one in facts.voided) is (one["evidence"]["metric_id"] in facts.new)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_suspect_but_the_third_and_the_sound_feeds_have_one_or_two_requests(seed: int) -> None:
    facts = drawing(seed).facts
    by_total = {one.board.metric["id"]: one for one in facts.boards}
    on = [by_total[one["evidence"]["metric_id"]] for one in facts.requests]
    count = Counter(one.suspect for one in on)

    assert all(one.is_active for one in on)
    assert all(1 <= count[name] <= 2 for name in (FIRST, SECOND, None))
    assert count[THIRD] <= 2
    assert len({id(one) for one in on}) == len(on)


@pytest.mark.parametrize("seed", SOME)
def test_requests_are_undecided_and_refer_to_the_value_that_they_saw(seed: int) -> None:
    facts = drawing(seed).facts
    totals = {one.board.metric["id"]: one.board.metric for one in facts.boards}

    for one in facts.requests:
        seen = totals[one["evidence"]["metric_id"]]
        assert one["status"] == "pending"
        assert (one["evidence"]["metric_value"], one["evidence"]["metric_version"]) == (
            seen["value"],
            seen["version"],
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_dashboard_that_was_in_quarantine_is_active_of_management_and_carries_no_request(seed: int) -> None:
    drawn = drawing(seed)
    facts = drawn.facts
    if facts.earlier is None:
        return

    [board] = [one for one in facts.boards if one.board.metric["id"] == facts.earlier]
    [imposed] = drawn.rows("quarantines")

    assert board.is_active
    assert not board.is_statutory
    assert facts.earlier not in {one["evidence"]["metric_id"] for one in facts.requests}
    assert (imposed["metric_id"], imposed["released_at"]) == (facts.earlier, None)
    assert drawn.company.start - imposed["at"] == 45 * DAY


def test_some_audits_begin_with_a_quarantine_and_some_without() -> None:
    begun = Counter(drawing(seed).facts.earlier is not None for seed in SEEDS)

    assert min(begun[True], begun[False]) >= 6


def test_a_release_is_missing_for_the_active_statutory_dashboard_of_the_failed_first_feed() -> None:
    facts = lacking()

    [board] = [one for one in facts.boards if one.board.record is facts.missing]
    assert (board.suspect, board.is_statutory, board.is_active) == (FIRST, True, True)
    assert FIRST in facts.failed


@pytest.mark.parametrize("seed", SEEDS)
def test_the_other_of_a_pair_that_lacks_a_release_does_not_need_it(seed: int) -> None:
    one, other = (drawing(number).facts for number in (seed, seed ^ 1))

    assert one.missing is None or other.missing is None


@pytest.mark.parametrize("seed", SEEDS)
def test_the_pair_differs_in_the_first_two_and_agrees_on_the_third(seed: int) -> None:
    one, other = (drawing(number).facts for number in (seed, seed ^ 1))

    assert one.failed - {THIRD} != other.failed - {THIRD}
    assert (THIRD in one.failed) == (THIRD in other.failed)
    assert one.failed != {FIRST, SECOND, THIRD}


def test_failed_feeds_are_named_by_id_in_order() -> None:
    facts = next(one for one in (drawing(seed).facts for seed in SEEDS) if len(one.failed) > 1)

    assert facts.failed_feeds == sorted(facts.suspects[name].record["id"] for name in facts.failed)


def test_the_control_totals_to_read_are_those_of_the_suspects_whether_they_failed_or_not() -> None:
    facts = drawing(0).facts
    controls = {feed.control["id"] for feed in facts.suspects.values() if feed.control}

    assert {one["id"] for one in facts.controls} == controls
    assert len(controls) == 2
    assert replace(facts, failed=frozenset()).controls == facts.controls


@pytest.mark.parametrize("seed", SOME)
def test_every_metric_of_the_area_may_be_refreshed_and_none_of_another(seed: int) -> None:
    drawn = drawing(seed)
    area = {one["id"] for one in drawn.rows("records") if one["fields"].get("area") == drawn.facts.area.name}

    of_area = {one["id"] for one in drawn.rows("metrics") if one["subject"] in area}

    assert drawn.facts.refreshable == of_area


def test_comments_of_colleagues_concern_feeds_and_dashboards_of_the_area() -> None:
    blamed = Counter[bool]()

    for seed in SEEDS:
        drawn = drawing(seed)
        comments = drawn.rows("comments", "ticketdesk", ticket_id=drawn.facts.ticket["id"])
        told = " ".join(one["body"] for one in comments)
        [name] = [
            name
            for name, feed in drawn.facts.suspects.items()
            if f"compared {feed.record['name']} with" in told
        ]
        assert name in (FIRST, SECOND)
        assert len(comments) == 4
        blamed[name in drawn.facts.failed] += 1

    assert min(blamed[True], blamed[False]) >= 8
