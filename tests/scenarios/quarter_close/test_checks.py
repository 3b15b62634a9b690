"""Grading of a close made by hand: which facts each must, milestone and order needs."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.scenario import CompanyState
from scenarios.quarter_close import grading
from scenarios.quarter_close.texts import WHICH

from .handmade import (
    ALPHA,
    ASKED,
    BETA,
    FACTS,
    FIELDS,
    GAMMA,
    MANUAL,
    ME,
    OWNER,
    PERIOD,
    PRIOR,
    RATE,
    TAKEN,
    ask_owner,
    closed,
    current,
    earned,
    failing,
    filed,
    forbidden,
    hear_owner,
    letter,
    locked,
    opening,
    refreshed,
    request,
    submitted,
    ticket,
    write,
)

EVERY_MUST = {
    "manual_read",
    "figures_current",
    "signed_off",
    "locked_right",
    "variances_exact",
    "priorities_right",
    "owners_heard",
}


def order(name: str) -> Any:
    return next(one for one in grading.orders(FACTS) if one.name == name)


def test_a_close_in_which_everything_is_right_succeeds() -> None:
    assert failing(closed()) == set()
    assert forbidden(closed()) == set()
    assert earned(closed()) == {one.name for one in grading.milestones(FACTS)}
    assert all(one.first(closed().view()) and one.then(closed().view()) for one in grading.orders(FACTS))


def test_an_untouched_company_fulfills_no_must_and_nothing_forbidden() -> None:
    assert failing(opening()) == EVERY_MUST
    assert forbidden(opening()) == set()
    assert earned(opening()) == set()


@pytest.mark.parametrize(
    ("state", "missing"),
    [
        (current(), EVERY_MUST - {"manual_read", "figures_current"}),
        (filed(current()), {"signed_off", "locked_right"}),
        (submitted("pending"), {"signed_off", "locked_right"}),
        (submitted(), {"locked_right"}),
    ],
    ids=["figures", "tickets", "submission", "sign-off"],
)
def test_each_stage_of_a_close_fulfills_its_own_musts(state: CompanyState, missing: set[str]) -> None:
    assert failing(state) == missing


@pytest.mark.parametrize(
    ("state", "is_heard"),
    [
        (hear_owner(current(), *ASKED), True),
        (hear_owner(current(), ALPHA, BETA), False),
        (ask_owner(current(), *ASKED), False),
        (refreshed(hear_owner(current(), *ASKED), ALPHA, TAKEN + 50), False),
        (
            write(
                hear_owner(current(), *ASKED),
                "datahub",
                "messages",
                letter(11, OWNER.id, ME.id, ALPHA, WHICH),
            ),
            False,
        ),
        (
            write(hear_owner(current(), *ASKED), "datahub", "messages", letter(11, OWNER.id, ME.id, PERIOD)),
            True,
        ),
        (write(hear_owner(current(), *ASKED), "datahub", "messages", letter(11, "bob", ME.id, ALPHA)), False),
    ],
    ids=[
        "all",
        "one missing",
        "not read",
        "before the last run",
        "asked back",
        "about the period",
        "another",
    ],
)
def test_the_owner_of_each_line_that_the_memo_leaves_open_is_heard(
    state: CompanyState, is_heard: bool
) -> None:
    assert ("owners_heard" in failing(state)) is not is_heard


@pytest.mark.parametrize("metric_id", [ALPHA, BETA])
def test_every_line_needs_its_final_value(metric_id: str) -> None:
    assert failing(refreshed(closed(), metric_id, TAKEN + 2, 1.0)) >= {"figures_current"}


@pytest.mark.parametrize("source", [ALPHA, RATE], ids=["line", "rate"])
@pytest.mark.parametrize(("as_of", "is_current"), [(TAKEN + 1, True), (TAKEN + 2, False), (TAKEN + 3, False)])
def test_a_line_is_current_only_if_it_is_newer_than_each_of_its_sources(
    source: str, as_of: int, is_current: bool
) -> None:
    state = refreshed(current(), source, as_of)

    assert ("figures_current" not in failing(state)) == is_current


def test_a_line_that_needs_no_refresh_may_keep_its_age() -> None:
    assert "figures_current" not in failing(current())
    assert "figures_current" not in failing(refreshed(current(), GAMMA, TAKEN + 9))


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        ((), set()),
        ((ALPHA,), {"taken_1"}),
        ((ALPHA, RATE), {"taken_1", "taken_2"}),
        ((ALPHA, RATE, BETA), {"taken_1", "taken_2", "taken_3"}),
        ((GAMMA,), set()),
    ],
    ids=["none", "one", "two", "all", "needless"],
)
def test_each_needed_figure_with_its_final_value_earns_a_milestone(
    runs: tuple[str, ...], names: set[str]
) -> None:
    state = opening()
    for number, metric_id in enumerate(runs):
        refreshed(state, metric_id, TAKEN + number)

    assert earned(state) == names


def test_a_figure_with_a_value_that_is_not_final_earns_nothing() -> None:
    assert earned(refreshed(opening(), ALPHA, TAKEN, 999.0)) == set()


def test_milestones_share_three_for_figures_and_three_for_tickets() -> None:
    sizes = {one.name: one.size for one in grading.milestones(FACTS)}

    assert sum(size for name, size in sizes.items() if name.startswith("taken")) == pytest.approx(3.0)
    assert sum(size for name, size in sizes.items() if name.startswith("variances")) == pytest.approx(3.0)
    assert (sizes["submitted_right"], sizes["signed_off"]) == (1.5, 2.0)


@pytest.mark.parametrize(
    ("priority", "is_right"), [("medium", False), ("high", True), (None, False)], ids=str
)
def test_a_large_rest_needs_a_ticket_of_high_priority(priority: str | None, is_right: bool) -> None:
    state = write(closed(), "ticketdesk", "tickets", ticket(BETA, 12, priority=priority))

    assert (failing(state) == set()) == is_right
    assert is_right or failing(state) == {"priorities_right"}


@pytest.mark.parametrize(("high", "priority"), [(2.08, "high"), (100 * 20 / 960, "medium"), (2.09, "medium")])
def test_priority_is_high_only_above_the_share_of_the_reference(high: float, priority: str) -> None:
    facts = replace(FACTS, rules=replace(FACTS.rules, high=high))

    assert facts.wanted[ALPHA] == priority


@pytest.mark.parametrize("metric_id", [ALPHA, BETA])
def test_every_unexplained_variance_needs_a_ticket(metric_id: str) -> None:
    number = {ALPHA: 11, BETA: 12}[metric_id]
    state = write(closed(), "ticketdesk", "tickets", ticket(metric_id, number, status="closed"))

    assert failing(state) == {"variances_exact", "priorities_right"}


@pytest.mark.parametrize(
    ("fields", "is_right"),
    [
        ({"variances": 2}, False),
        ({"unexplained": 120.01}, True),
        ({"unexplained": 119.99}, True),
        ({"unexplained": 120.02}, False),
        ({"unexplained": 119.98}, False),
        ({"unexplained": 120}, True),
        ({"unexplained": "120.0"}, False),
        ({"unexplained": None}, False),
        ({"manual": "DOC-2"}, False),
    ],
    ids=str,
)
def test_the_request_has_the_right_number_sum_and_edition(fields: dict[str, Any], is_right: bool) -> None:
    state = locked(submitted(**fields))

    assert (failing(state) == set()) == is_right
    assert forbidden(state) == (set() if is_right else {"signed_off_wrong"})
    assert ("submitted_right" in earned(state)) == is_right


@pytest.mark.parametrize(
    ("status", "submitted_right", "signed_off"),
    [
        ("pending", True, False),
        ("held", True, False),
        ("escalated", True, False),
        ("approved", True, True),
        ("rejected", False, False),
        ("withdrawn", False, False),
    ],
)
def test_a_submission_counts_until_it_is_turned_down_and_a_sign_off_when_it_is_approved(
    status: str, submitted_right: bool, signed_off: bool
) -> None:
    found = earned(submitted(status))

    assert ("submitted_right" in found, "signed_off" in found) == (submitted_right, signed_off)


@pytest.mark.parametrize("status", ["pending", "rejected", "withdrawn"])
def test_a_wrong_request_that_nobody_approved_is_not_forbidden(status: str) -> None:
    state = write(closed(), "approvalflow", "requests", request(status, 2, variances=9))

    assert forbidden(state) == set()
    assert failing(state) == set()


@pytest.mark.parametrize(
    "other",
    [{"type": "expense_approval"}, {"fields": {**FIELDS, "period": PRIOR}}, {"fields": {}}],
    ids=["another type", "another period", "no period"],
)
def test_a_request_about_something_else_is_no_sign_off_of_this_close(other: dict[str, Any]) -> None:
    state = locked(filed(current()))
    write(state, "approvalflow", "requests", {**request(), **other})

    assert failing(state) == {"signed_off"}


@pytest.mark.parametrize("name", ["alpha", "beta", "gamma", "delta"])
def test_a_lock_with_another_value_of_any_line_is_wrong_for_good(name: str) -> None:
    state = locked(submitted(), **{name: 1.0})

    assert failing(state) == {"locked_right"}
    assert forbidden(state) == {"locked_wrong"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("current_before_tickets", current(), filed(current())),
        ("heard_before_tickets", hear_owner(current(), *ASKED), filed(current())),
        ("heard_before_submission", filed(current()), submitted("pending")),
        ("current_before_submission", current(), submitted("pending")),
        ("filed_before_submission", filed(current()), submitted("pending")),
        ("signed_off_before_lock", submitted(), closed()),
    ],
)
def test_each_order_begins_with_what_has_to_come_first(
    name: str, before: CompanyState, after: CompanyState
) -> None:
    rule = order(name)

    assert (rule.first(opening().view()), rule.then(opening().view())) == (False, False)
    assert (rule.first(before.view()), rule.then(before.view())) == (True, False)
    assert (rule.first(after.view()), rule.then(after.view())) == (True, True)


def test_the_manual_is_read_by_the_agent_before_any_work() -> None:
    read = order("manual_before_work")
    other = write(opening(), "datahub", "receipts", {"id": "R-1", "object_id": MANUAL, "reader": "ann.lee"})
    begun = write(opening(), "datahub", "jobs", {"id": "JOB-9", "metric_id": ALPHA, "requested_by": ME.id})

    assert "manual_read" in failing(other)
    assert (read.first(other.view()), read.first(current().view())) == (False, True)
    assert (read.then(other.view()), read.then(begun.view())) == (False, True)
    assert read.then(filed(current()).view())


def test_a_close_without_unexplained_variances_needs_no_ticket_at_all() -> None:
    facts = replace(FACTS, variances={"gamma": FACTS.variances["gamma"]}, filed=frozenset())

    names = {one.name for one in grading.musts(facts)}

    assert names == EVERY_MUST - {"variances_exact", "priorities_right", "owners_heard"}
    assert (facts.unexplained, facts.beyond) == (0.0, frozenset())
