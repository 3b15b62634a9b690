"""The five small families: what each draws, on either side of what decides, and how its title and form are read."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.sdk.approval_task import TaskBuilder, TaskFacts
from scenarios.bug_escalation.scenario import ESCALATES, SETTLES
from scenarios.expense_report.scenario import ABOVE, BELOW
from scenarios.handbook_update.scenario import LARGE, SMALL
from scenarios.license_renewal.scenario import BEYOND, WITHIN
from scenarios.vendor_onboarding.scenario import FAILS, PASSES

from .made import SMALL as FAMILIES
from .made import FinishedTask, family, made

SEEDS = range(3)
BANDED = {
    "expense_report": (BELOW, ABOVE),
    "license_renewal": (WITHIN, BEYOND),
    "handbook_update": (SMALL, LARGE),
}
PASSING = {"vendor_onboarding": (FAILS, PASSES), "bug_escalation": (SETTLES, ESCALATES)}
CAUSES = {**BANDED, **PASSING}
#: The stale and the fresh value of the original tasks, by cause.
ORIGINAL = {
    ("vendor_onboarding", PASSES): (72, 85),
    ("vendor_onboarding", FAILS): (72, 76),
    ("bug_escalation", ESCALATES): (6.2, 7.4),
    ("bug_escalation", SETTLES): (6.2, 2.1),
    ("expense_report", ABOVE): (9900, 10_050),
    ("expense_report", BELOW): (9900, 9940),
    ("license_renewal", WITHIN): (168, 180),
    ("license_renewal", BEYOND): (168, 215),
    ("handbook_update", SMALL): (44, 48),
    ("handbook_update", LARGE): (44, 52),
}


def terms(facts: TaskFacts, builder: TaskBuilder) -> dict[str, Any]:
    return builder.terms(facts.type_id)


def role_for(routes: Any, value: float) -> str:
    return str(next(band["role"] for band in routes if band["below"] is None or value < band["below"]))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "cause"), [(name, cause) for name in CAUSES for cause in CAUSES[name]])
def test_the_route_is_that_of_the_role_that_decides_the_fresh_value(name: str, cause: str, seed: int) -> None:
    facts, builder = made(name, seed=seed, cause=cause)

    role = role_for(terms(facts, builder)["routes"], facts.value)

    assert facts.route.role == role
    assert builder.person(facts.route.holder).role == role
    assert set(builder.routes) >= {role}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", BANDED)
def test_the_stale_value_and_the_smaller_fresh_one_are_in_one_band_and_the_larger_is_in_the_next(
    name: str, seed: int
) -> None:
    low, high = BANDED[name]
    (less, builder), (more, _) = made(name, seed=seed, cause=low), made(name, seed=seed, cause=high)
    routes = terms(less, builder)["routes"]

    stale, below, above = (
        role_for(routes, value) for value in (less.metric["value"], less.value, more.value)
    )

    assert stale == below != above


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", PASSING)
def test_one_fresh_value_is_accepted_by_a_margin_of_one_and_the_other_is_not(name: str, seed: int) -> None:
    fails, passes = PASSING[name]
    (less, builder), (more, _) = made(name, seed=seed, cause=fails), made(name, seed=seed, cause=passes)
    minimum = terms(less, builder)["minimum"]

    assert less.value < minimum
    assert more.value >= minimum + 1


@pytest.mark.parametrize(("name", "cause"), ORIGINAL)
def test_the_original_tasks_have_their_original_values(name: str, cause: str) -> None:
    facts, _ = made(name, cause=cause, original=True)

    assert (facts.metric["value"], facts.value) == ORIGINAL[name, cause]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("vendor_onboarding", "Please Onboard Acorn"),
        ("vendor_onboarding", "onboard Acorn"),
        ("license_renewal", "Renewed Planline"),
        ("handbook_update", "Unpublish Vacation"),
        ("expense_report", "Expense report EXP-4"),
        ("bug_escalation", "search worker fails"),
    ],
)
def test_a_title_of_another_form_is_taken_as_a_whole(name: str, title: str) -> None:
    assert family(name).profile.name_in(title) == title


@pytest.mark.parametrize(
    ("name", "title", "read"),
    [
        ("bug_escalation", "auth worker: answers: twice", "auth worker"),
        ("expense_report", "Expense report EXP-4: Trip: Rome, Ada Moss", "Trip: Rome, Ada Moss"),
    ],
)
def test_a_colon_in_a_title_is_read_from_the_side_of_the_name(name: str, title: str, read: str) -> None:
    assert family(name).profile.name_in(title) == read


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_the_look_alike_is_of_the_same_kind_with_another_id_number_and_metric(name: str, seed: int) -> None:
    facts, builder = made(name, seed=seed)

    alike = [
        row
        for row in builder.company.rows["datahub"]["records"]
        if row["kind"] == facts.record["kind"] and row["id"] != facts.record["id"]
    ]

    assert len(alike) == 1
    assert alike[0]["fields"][facts.mark] != facts.record["fields"][facts.mark]
    assert alike[0]["name"] != facts.record["name"]
    about = {row["name"] for row in builder.company.about(alike[0]["id"])}
    assert about == {row["name"] for row in builder.company.about(facts.record["id"])}


@pytest.mark.parametrize("name", ["bug_escalation", "expense_report", "license_renewal", "handbook_update"])
def test_a_story_gives_the_records_id_only_if_the_ticket_does(name: str) -> None:
    facts, builder = made(name)
    without = replace(facts, ticket={**facts.ticket, "subject": None})

    told, untold = (family(name).spec(one, builder).story for one in (facts, without))

    assert f"({facts.record['id']})" in told
    assert facts.record["id"] not in untold


def test_departments_have_head_counts_below_the_companys() -> None:
    facts, builder = made("handbook_update")
    counted = [row for row in builder.company.rows["datahub"]["metrics"] if row["name"] == "hr_headcount"]

    assert facts.metric["subject"] is None
    assert len(counted) == 3
    assert all(row["value"] < facts.value for row in counted if row["subject"])


def test_a_vendor_was_approved_before_and_that_no_longer_counts() -> None:
    facts, builder = made("vendor_onboarding")
    [request] = builder.company.rows["approvalflow"]["requests"]
    task = FinishedTask(facts, builder)
    task.erase("approvalflow", "requests", "APR-9001")

    milestones = family("vendor_onboarding").spec(facts, builder).milestones

    assert (request["subject"], request["status"]) == (facts.record["id"], "approved")
    assert request["ticket_id"] != facts.ticket["id"]
    assert milestones is None
