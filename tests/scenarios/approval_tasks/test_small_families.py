"""The five small families: what each draws, on either side of what decides, and how its title and form are read."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.approval_task import TaskBuilder, TaskFacts
from companyos.approval_task.endings import TaskEnding
from companyos.sdk.simtime import DAY
from scenarios.bug_escalation.scenario import ESCALATES, SETTLES
from scenarios.expense_report.scenario import ABOVE, BELOW
from scenarios.handbook_update.scenario import LARGE, SMALL
from scenarios.license_renewal.scenario import BEYOND, WITHIN
from scenarios.vendor_onboarding.scenario import FAILS, PASSES

from .made import SMALL as FAMILIES
from .made import START, FinishedTask, family, made

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


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CAUSES)
def test_both_tasks_of_a_pair_look_alike_before_the_refresh(name: str, seed: int) -> None:
    (one, _), (other, _) = (made(name, seed=seed, cause=cause) for cause in CAUSES[name])

    assert one.metric == other.metric
    assert (one.ticket, one.record) == (other.ticket, other.record)
    assert one.value != other.value


@pytest.mark.parametrize(("name", "cause"), ORIGINAL)
def test_the_original_tasks_have_their_original_values(name: str, cause: str) -> None:
    facts, _ = made(name, cause=cause, original=True)

    assert (facts.metric["value"], facts.value) == ORIGINAL[name, cause]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_request_states_the_fresh_value_and_what_the_type_asks_for(name: str, seed: int) -> None:
    facts, builder = made(name, seed=seed)
    row = terms(facts, builder)

    assert set(facts.fields) == {field["name"] for field in row["fields"] if field["required"]}
    assert facts.fields[row["metric_field"]] == facts.value
    assert facts.metric["name"] == row["metric_name"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_the_profile_states_the_same_as_the_facts(name: str, seed: int) -> None:
    facts, builder = made(name, seed=seed)
    profile = family(name).profile
    about = {row["name"]: row["value"] for row in builder.company.about(facts.record["id"])}
    about[facts.metric["name"]] = facts.value

    stated = profile.fields(facts.record, about)

    assert stated == dict(facts.fields)
    assert (profile.type_id, profile.kind, profile.mark) == (facts.type_id, facts.record["kind"], facts.mark)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_the_records_name_is_read_from_the_title(name: str, seed: int) -> None:
    facts, _ = made(name, seed=seed)

    assert family(name).profile.name_in(facts.ticket["title"]) == facts.record["name"]


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


@pytest.mark.parametrize("name", FAMILIES)
def test_every_metric_but_the_goals_stays_fresh(name: str) -> None:
    facts, builder = made(name)

    left = {
        row["id"]: row["as_of"] + row["ttl_s"] - START for row in builder.company.rows["datahub"]["metrics"]
    }

    assert left.pop(facts.metric["id"]) == -2 * DAY
    assert all(one > 200 * DAY for one in left.values())


@pytest.mark.parametrize("name", FAMILIES)
def test_the_story_names_the_ticket_and_the_approval(name: str) -> None:
    facts, builder = made(name)

    spec = family(name).spec(facts, builder)

    assert facts.ticket["id"] in spec.story
    assert facts.type_id in spec.story
    assert facts.record["name"] in spec.story
    assert spec.submits is True


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


@pytest.mark.parametrize("ending", TaskEnding)
@pytest.mark.parametrize("name", FAMILIES)
def test_the_ending_changes_documents_only(name: str, ending: TaskEnding) -> None:
    (usual, first), (other, second) = made(name), made(name, ending=ending)

    assert (usual.ticket, usual.metric) == (other.ticket, other.metric)
    for service, tables in first.company.rows.items():
        for table, rows in tables.items():
            assert table == "documents" or rows == second.company.rows[service][table]
