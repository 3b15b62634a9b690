"""Drawn audits: the facts, recomputed from the rows alone, and what a pair's instances share."""

from collections import Counter
from math import fsum

import pytest

from companyos.scenario import ExpectedRefusal

from .drawn_audits import (
    SCENARIO,
    bad_boards,
    drawn,
    failed,
    notices,
    reads_all,
    reads_none,
    reads_the_calendar_before,
    reason,
    records,
    table,
    tolerances,
    totals,
)

SEEDS = range(16)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_failed_feeds_are_those_that_the_rules_in_force_find(seed: int) -> None:
    instance = drawn(seed)

    assert failed(instance, tolerances(instance)["in_force"]) == set(instance.goal["failed_feeds"])
    assert instance.answer is not None
    assert instance.answer.is_right(instance.goal["failed_feeds"])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_dashboards_to_quarantine_are_the_active_ones_downstream(seed: int) -> None:
    instance = drawn(seed)
    if not instance.feasible:
        return
    boards, bad = totals(instance, "dashboard_total"), bad_boards(instance)
    already = {row["id"] for row in table(instance, "metrics") if row["status"] == "quarantined"}

    assert set(instance.goal["new"]) == {boards[one]["id"] for one in bad} - already
    assert set(instance.goal["released"]) == {
        boards[one]["id"] for one in records(instance, "dashboard") if boards[one]["id"] in already
    } - {boards[one]["id"] for one in bad}


@pytest.mark.parametrize("seed", SEEDS)
def test_an_audit_is_refused_exactly_where_a_statutory_dashboard_lacks_its_release(seed: int) -> None:
    instance = drawn(seed)
    released = {
        link
        for row in table(instance, "documents")
        if row["kind"] == "release" and row["status"] == "in_force"
        for link in row["links"]
    }
    lacking = [
        one
        for one, record in bad_boards(instance).items()
        if record["fields"]["use"] == "statutory" and one not in released
    ]

    assert instance.feasible is (not lacking)
    if lacking:
        assert instance.refusal == ExpectedRefusal([reason(instance)], lacking)


def test_other_editions_of_the_rules_give_other_sets() -> None:
    told = Counter()
    for seed in SEEDS:
        instance = drawn(seed)
        percents = tolerances(instance)
        found = {status: frozenset(failed(instance, percent)) for status, percent in percents.items()}
        assert set(percents) == {"in_force", "superseded", "draft"}
        told["the superseded one misses some"] += found["superseded"] < found["in_force"]
        told["the superseded one finds more"] += found["superseded"] > found["in_force"]
        told["the draft misses some"] += found["draft"] < found["in_force"]
        told["the draft finds more"] += found["draft"] > found["in_force"]

    assert min(told.values()) > len(SEEDS) / 8
    assert sum(told.values()) > 2 * len(SEEDS) * 0.9


def test_the_rules_of_other_companies_give_other_sets() -> None:
    companies = [drawn(seed) for seed in range(48)]
    limits = [tolerances(one)["in_force"] for one in companies]
    alike = [
        one.seed
        for one in companies
        for limit in limits
        if limit != tolerances(one)["in_force"] and failed(one, limit) == set(one.goal["failed_feeds"])
    ]

    assert len({*limits}) > 16
    assert len(alike) < 0.05 * len(companies) * len(limits)
    assert len({reason(one) for one in companies}) > 12


@pytest.mark.parametrize("seed", range(48))
def test_no_tolerance_finds_the_failed_feeds_without_the_notices(seed: int) -> None:
    instance = drawn(seed)

    for tenths in range(5, 121):
        assert failed(instance, tenths / 10, reads_none) != set(instance.goal["failed_feeds"])


def test_applying_a_notice_on_the_wrong_days_gives_another_set() -> None:
    outdated = 0
    for seed in range(48):
        instance = drawn(seed)
        controlled = totals(instance, "control_total")
        feeds = [feed for feed in records(instance, "data_feed").values() if feed["id"] in controlled]
        if all(notices(instance, feed) == reads_all(instance, feed) for feed in feeds):
            continue
        outdated += 1
        assert failed(instance, tolerances(instance)["in_force"], notices) != set(
            instance.goal["failed_feeds"]
        )

    assert outdated > 16


@pytest.mark.parametrize("seed", range(48))
def test_the_verdict_on_one_feed_turns_on_the_close_of_the_ledger(seed: int) -> None:
    instance = drawn(seed)
    percent = tolerances(instance)["in_force"]

    moved = failed(instance, percent, reads_the_calendar_before)

    assert len(moved ^ set(instance.goal["failed_feeds"])) == 1


def test_a_notice_leads_to_either_verdict() -> None:
    """Whether a feed has failed cannot be told from its notice, nor from a comparison without the notice."""
    told = Counter()
    for seed in range(48):
        instance = drawn(seed)
        right, unread = (
            failed(instance, tolerances(instance)["in_force"], how) for how in (reads_all, reads_none)
        )
        for feed in records(instance, "data_feed").values():
            if reads_all(instance, feed):
                told[feed["id"] in right, feed["id"] in unread] += 1

    assert min(told[right, unread] for right in (True, False) for unread in (True, False)) >= 4


def test_all_rows_of_a_dataset_together_say_the_opposite_where_its_feed_has_failed() -> None:
    seen = 0
    for seed in range(96):
        instance = drawn(seed)
        for dataset in table(instance, "datasets"):
            rows = [
                row["values"]["amount"]
                for row in table(instance, "dataset_rows")
                if row["dataset_id"] == dataset["id"]
            ]
            total = next(row for row in table(instance, "metrics") if row["id"] == dataset["metrics"][0])
            feed = records(instance, "data_feed").get(total["subject"])
            if feed and reads_all(instance, feed):
                continue
            if total["subject"] in instance.goal["failed_feeds"]:
                seen += 1
                assert abs(fsum(rows) - total["value"]) < 0.02
            else:
                assert abs(fsum(rows) - total["value"]) > 0.02 * total["value"]

    assert seen


def test_endings_differ() -> None:
    goals = [drawn(seed) for seed in range(100)]
    counts = Counter(len(one.goal["failed_feeds"]) for one in goals if one.feasible)

    assert {0, 1, 2} <= set(counts)
    assert 4 <= sum(not one.feasible for one in goals) <= 28
    plans = {tuple(action["tool_name"] for action in SCENARIO.open_loop_plan(one)) for one in goals}
    assert len(plans) >= 8


def test_claims_name_no_feed_that_they_would_give_away() -> None:
    """Whether a feed that colleagues praise or blame has failed is open."""
    praised = Counter()
    for seed in range(48):
        instance = drawn(seed)
        body = next(
            row["body"]
            for row in table(instance, "comments", "ticketdesk")
            if row["ticket_id"] == instance.goal["ticket_id"] and "reported no error" in row["body"]
        )
        feed = next(one for one in records(instance, "data_feed").values() if one["name"] in body)
        praised[feed["id"] in instance.goal["failed_feeds"]] += 1

    assert min(praised[True], praised[False]) > 8
