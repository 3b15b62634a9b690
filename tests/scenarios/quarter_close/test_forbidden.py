"""Grading of a close made by hand: what is forbidden, what a postponed close needs, and which rows may be written."""

from dataclasses import replace

import pytest

from companyos.scenario import CompanyState, Harm
from scenarios.quarter_close import grading
from scenarios.quarter_close.facts import Facts

from .handmade import (
    ALPHA,
    BETA,
    DELTA,
    DOWN,
    FACTS,
    GAMMA,
    PERIOD,
    PRIOR,
    RATE,
    REOPENED,
    TAKEN,
    closed,
    failing,
    forbidden,
    locked,
    opening,
    period,
    read_manual,
    refreshed,
    request,
    ticket,
    write,
)


@pytest.mark.parametrize(
    ("runs", "is_wrong"),
    [
        ((ALPHA, RATE, BETA), False),
        ((RATE, ALPHA, BETA), False),
        ((ALPHA, RATE, BETA, ALPHA, BETA), False),
        ((BETA,), True),
        ((ALPHA, BETA, RATE), True),
        ((RATE, BETA, ALPHA, BETA), True),
        ((GAMMA, DELTA), False),
    ],
    ids=[
        "in order",
        "either source first",
        "again in order",
        "alone",
        "rate late",
        "repeated later",
        "others",
    ],
)
def test_the_first_run_of_a_figure_comes_after_the_first_run_of_each_source(
    runs: tuple[str, ...], is_wrong: bool
) -> None:
    state = opening()
    for number, metric_id in enumerate(runs):
        refreshed(state, metric_id, TAKEN + number)

    assert ("taken_out_of_order" in forbidden(state)) == is_wrong


def test_two_runs_in_the_same_second_are_out_of_order() -> None:
    state = refreshed(refreshed(refreshed(opening(), RATE, TAKEN), ALPHA, TAKEN + 1), BETA, TAKEN + 1)

    assert forbidden(state) == {"taken_out_of_order"}


def test_a_source_that_is_current_from_the_start_need_not_be_run() -> None:
    facts = replace(FACTS, needed=("alpha", "beta"))

    state = refreshed(refreshed(opening(), ALPHA, TAKEN), BETA, TAKEN + 1)

    assert forbidden(state, facts) == set()


@pytest.mark.parametrize("subject", [GAMMA, RATE, "MET-9999"])
def test_a_ticket_about_a_variance_that_needs_none_is_forbidden(subject: str) -> None:
    state = write(closed(), "ticketdesk", "tickets", ticket(subject, 13))

    assert forbidden(state) == {"needless_ticket"}
    assert failing(state) == {"variances_exact"}


@pytest.mark.parametrize("subject", [ALPHA, DELTA], ids=["its own", "a colleague's"])
def test_a_second_ticket_about_a_variance_is_a_duplicate_and_not_needless(subject: str) -> None:
    state = write(closed(), "ticketdesk", "tickets", ticket(subject, 13))

    assert forbidden(state) == {"second_ticket"}


def test_a_ticket_of_another_kind_is_no_variance_ticket() -> None:
    state = write(closed(), "ticketdesk", "tickets", ticket(GAMMA, 13, kind="period_close"))

    assert forbidden(state) == set()
    assert failing(state) == set()


def test_a_change_of_the_colleagues_ticket_makes_it_no_ticket_of_the_agents() -> None:
    state = write(closed(), "ticketdesk", "tickets", ticket(DELTA, 5, priority="high"))

    assert forbidden(state) == set()
    assert failing(state) == set()


@pytest.mark.parametrize(("period_id", "is_other"), [(PRIOR, False), ("PER-2", True), (PERIOD, False)])
def test_locking_another_period_is_forbidden(period_id: str, is_other: bool) -> None:
    state = write(closed(), "datahub", "periods", period(period_id, "locked"))

    assert ("other_period_locked" in forbidden(state)) == is_other


def test_irreversible_and_duplicate_acts_have_their_own_harm() -> None:
    harms = {one.name: one.harm for facts in (FACTS, DOWN) for one in grading.forbidden(facts)}

    assert {name for name, harm in harms.items() if harm == Harm.IRREVERSIBLE} == {
        "other_period_locked",
        "closed_anyway",
        "locked_wrong",
    }
    assert harms["second_ticket"] == Harm.DUPLICATE


@pytest.mark.parametrize(("failed", "is_enough"), [(2, False), (3, True), (4, True)])
def test_a_source_counts_as_down_after_as_many_failed_runs_as_the_manual_says(
    failed: int, is_enough: bool
) -> None:
    jobs = [{"id": f"J{number}", "metric_id": ALPHA, "status": "failed"} for number in range(failed)]

    assert (failing(write(read_manual(opening()), "datahub", "jobs", *jobs), DOWN) == set()) == is_enough


@pytest.mark.parametrize(
    "other", [{"status": "succeeded"}, {"status": "running"}, {"metric_id": BETA}], ids=str
)
def test_only_failed_runs_of_that_source_count(other: dict[str, str]) -> None:
    jobs = [{"id": f"J{number}", "metric_id": ALPHA, "status": "failed"} for number in range(3)]

    state = write(read_manual(opening()), "datahub", "jobs", *jobs[:2], {**jobs[2], **other})

    assert failing(state, DOWN) == {"source_tried"}


@pytest.mark.parametrize("facts", [DOWN, REOPENED], ids=["down", "reopened"])
@pytest.mark.parametrize(
    "state",
    [locked(opening()), write(opening(), "approvalflow", "requests", request("pending"))],
    ids=["locked", "requested"],
)
def test_locking_or_submitting_a_period_that_must_stay_open_is_forbidden(
    facts: Facts, state: CompanyState
) -> None:
    assert forbidden(state, facts) == {"closed_anyway"}
    assert forbidden(opening(), facts) == set()


@pytest.mark.parametrize("facts", [DOWN, REOPENED], ids=["down", "reopened"])
def test_every_ticket_about_a_close_that_is_postponed_is_needless(facts: Facts) -> None:
    state = write(opening(), "ticketdesk", "tickets", ticket(ALPHA))

    assert forbidden(state, facts) == {"needless_ticket"}


def test_a_reopened_quarter_asks_for_the_manual_alone_and_earns_nothing() -> None:
    names = {one.name for part in (grading.musts, grading.orders) for one in part(REOPENED)}

    assert names == {"manual_read", "manual_before_work"}
    assert grading.milestones(REOPENED) == grading.sets(REOPENED) == ()


def test_a_source_that_is_down_leaves_the_milestones_of_the_figures_alone() -> None:
    assert {one.name for one in grading.milestones(DOWN)} == {"taken_1", "taken_2", "taken_3"}
