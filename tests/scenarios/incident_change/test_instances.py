"""Drawn incidents: the facts, recomputed from the rows, and what a pair's instances share."""

import re
from collections import Counter
from functools import cache
from typing import Any

import pytest

from companyos.chaos import parse_chaos
from companyos.scenario import Instance, find
from companyos.sdk.simtime import DAY, HOUR, from_iso, to_iso
from scenarios.incident_change import texts
from scenarios.incident_change.pack import PACK
from scenarios.incident_change.reading import (
    Rules,
    read_freeze,
    read_handover,
    read_procedures,
    read_roster,
    read_rules,
)
from tests.scenarios.conftest import SALT

SCENARIO = find("incident_change")
SEEDS = range(16)
Row = dict[str, Any]


@cache
def drawn(seed: int) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(0), SALT, "small")


def table(instance: Instance, name: str, service: str = "datahub") -> list[Row]:
    return list(instance.rows[service][name])


def row(instance: Instance, name: str, row_id: str, service: str = "datahub") -> Row:
    return next(one for one in table(instance, name, service) if one["id"] == row_id)


def papers(instance: Instance, title: str, status: str = "in_force") -> list[Row]:
    found = [one for one in table(instance, "documents") if one["title"].startswith(title)]
    return [one for one in found if one["status"] == status]


def rules(instance: Instance, status: str = "in_force") -> Rules:
    [paper] = [
        one for one in papers(instance, "Handling incidents", status) if one["department"] == "Platform"
    ]
    return read_rules(paper["body"])


def rate_of(instance: Instance, system_id: str) -> Row:
    return next(
        one
        for one in table(instance, "metrics")
        if one["subject"] == system_id and one["name"] == "error_rate"
    )


def fresh(instance: Instance, metric: Row) -> float:
    """Return what a refresh of a metric brings at the start."""
    sources = {one["id"]: one["values"] for one in table(instance, "sources")}
    return float(sources.get(metric["id"], [metric["value"]])[0])


def upstream(instance: Instance, metric: Row) -> list[Row]:
    """Return every metric upstream of one, nearest first."""
    found, ahead = list[Row](), list(metric["upstream"])
    while ahead:
        found.append(row(instance, "metrics", ahead.pop(0)))
        ahead += found[-1]["upstream"]
    return found


def failing(instance: Instance, *, shown: bool = False) -> list[str]:
    """Return the systems upstream of the victim that fail, nearest first."""
    systems = []
    for metric in upstream(instance, rate_of(instance, instance.goal["victim"])):
        limit = row(instance, "records", metric["subject"])["fields"]["error_limit"]
        if (metric["value"] if shown else fresh(instance, metric)) > limit:
            systems.append(metric["subject"])
    return systems


def severity(instance: Instance, *, shown: bool = False, status: str = "in_force") -> int:
    metric = rate_of(instance, instance.goal["victim"])
    tier = row(instance, "records", instance.goal["victim"])["fields"]["tier"]
    return rules(instance, status).severity(tier, metric["value"] if shown else fresh(instance, metric))


def left(instance: Instance) -> list[str]:
    """Return what may still be tried on the cause."""
    system = row(instance, "records", instance.goal["root"])
    [runbook] = papers(instance, f"Runbook of {system['name']}")
    tried = {
        one["procedure"]
        for one in table(instance, "changes", "ticketdesk")
        if one["system"] == system["id"] and one["rolled_out_at"] > instance.start - DAY
    }
    return [one for one in read_procedures(runbook["body"]) if one not in tried]


def holding(instance: Instance) -> list[Any]:
    area = row(instance, "records", instance.goal["root"])["fields"]["area"]
    freezes = [read_freeze(one["body"]) for one in papers(instance, "Change freeze")]
    return [one for one in freezes if one.covers(area, instance.start)]


def on_call(instance: Instance) -> str:
    [roster] = papers(instance, "Duty managers on call")
    today = to_iso(instance.start).partition("T")[0]
    mails = [one for one in table(instance, "messages") if one["subject"].startswith("On call")]
    newest = sorted(mails, key=lambda one: one["sent_at"], reverse=True)
    told = [read_handover(one["body"], today) for one in newest]
    return next((one for one in told if one), read_roster(roster["body"], today))


def ending(instance: Instance) -> str:
    """Return how the rules want an incident to end, from what is written and what is measured."""
    name = row(instance, "records", instance.goal["root"])["name"]
    if papers(instance, f"Service agreement about {name}"):
        return "run_by_provider"
    area = row(instance, "records", instance.goal["root"])["fields"]["area"]
    if severity(instance) != 1 or any(one.exempt != area for one in holding(instance)):
        return "scheduled"
    return "recovered" if table(instance, "remedies") else "handed_over"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cause_is_the_failing_system_furthest_upstream(seed: int) -> None:
    instance = drawn(seed)

    assert failing(instance)[-1] == instance.goal["root"]


@pytest.mark.parametrize("seed", SEEDS)
def test_old_readings_name_another_system_and_another_severity(seed: int) -> None:
    instance = drawn(seed)

    assert instance.goal["root"] not in failing(instance, shown=True)
    assert failing(instance, shown=True)
    assert severity(instance, shown=True) != severity(instance)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_severity_follows_from_the_rules_in_force_and_not_from_the_edition_before(seed: int) -> None:
    instance = drawn(seed)

    assert severity(instance) == instance.goal["severity"]
    assert severity(instance, status="superseded") != severity(instance)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_suspect_fails_worse_and_lies_downstream(seed: int) -> None:
    instance = drawn(seed)
    suspect, victim = (rate_of(instance, instance.goal[name]) for name in ("suspect", "victim"))

    assert victim["id"] in suspect["upstream"]
    assert suspect["id"] not in {one["id"] for one in upstream(instance, victim)}
    assert fresh(instance, suspect) > row(instance, "records", suspect["subject"])["fields"]["error_limit"]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_ending_is_what_the_rules_want(seed: int) -> None:
    instance = drawn(seed)

    assert ending(instance) == instance.goal["ending"]
    assert instance.feasible is (instance.goal["ending"] != "run_by_provider")


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_rolled_out_is_left_to_try_and_approved_by_who_is_in_charge(seed: int) -> None:
    goal = drawn(seed).goal
    if "rollouts" not in goal:
        return
    steps = [one["plan"]["procedure"] for one in goal["rollouts"]]

    assert steps == left(drawn(seed))[: len(steps)]
    if goal["request"]["type"] == "emergency_change":
        assert goal["request"]["approver"] == on_call(drawn(seed))
        assert not holding(drawn(seed))
    else:
        officer = row(drawn(seed), "people", goal["request"]["approver"])
        assert officer["role"] == "chief_technology_officer"
        assert holding(drawn(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_change_that_has_to_wait_is_planned_for_the_first_window_outside_the_freezes(seed: int) -> None:
    instance = drawn(seed)
    if instance.goal["ending"] != "scheduled":
        return
    plan, windows = instance.goal["ordinary"], rules(instance).windows
    at = from_iso(plan["starts_at"])
    between = [
        day * DAY + windows.hour * HOUR
        for day in range(instance.start // DAY + 1, at // DAY)
        if (day + 1) % 7 in windows.weekdays
    ]

    assert plan["procedure"] == left(instance)[0]
    assert (at // DAY + 1) % 7 in windows.weekdays
    assert at % DAY == windows.hour * HOUR
    area = row(instance, "records", instance.goal["root"])["fields"]["area"]
    freezes = [read_freeze(one["body"]) for one in papers(instance, "Change freeze")]
    assert not any(freeze.covers(area, at) for freeze in freezes)
    assert all(any(freeze.covers(area, one) for freeze in freezes) for one in between)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_directory_and_the_edition_before_name_somebody_who_is_not_on_call(seed: int) -> None:
    instance = drawn(seed)
    managers = sorted(one["id"] for one in table(instance, "people") if one["role"] == "duty_manager")

    assert len(managers) == 3
    assert managers[0] != on_call(instance)


def test_what_mends_the_cause_mends_everything_that_fails_with_it_and_nothing_else() -> None:
    for seed in SEEDS:
        instance = drawn(seed)
        remedies = table(instance, "remedies")
        for one in remedies:
            metric = row(instance, "metrics", one["id"])
            limit = row(instance, "records", metric["subject"])["fields"]["error_limit"]
            assert one["system"] == instance.goal["root"]
            assert one["before"] == [fresh(instance, metric)] > [limit] > one["after"]
        if remedies:
            healed = {row(instance, "metrics", one["id"])["subject"] for one in remedies}
            assert healed == {*failing(instance), instance.goal["victim"], instance.goal["suspect"]}


def test_endings_differ() -> None:
    goals = [drawn(seed).goal for seed in range(96)]
    counts = Counter(goal["ending"] for goal in goals)
    several = sum(len(goal.get("rollouts", ())) > 1 for goal in goals)

    assert min(counts[one] for one in ("recovered", "scheduled", "handed_over", "run_by_provider")) >= 3
    assert counts["run_by_provider"] <= 18
    assert several >= 6
    assert {goal["request"]["type"] for goal in goals if "request" in goal} == {
        "emergency_change",
        "freeze_exception",
    }


def test_some_runbooks_begin_with_what_was_tried_already() -> None:
    tried = Counter[bool]()
    for seed in range(32):
        instance = drawn(seed)
        system = row(instance, "records", instance.goal["root"])
        [runbook] = papers(instance, f"Runbook of {system['name']}")
        tried[read_procedures(runbook["body"])[:1] != left(instance)[:1]] += 1

    assert min(tried.values()) > 6


def test_mails_that_hand_the_phone_over_are_in_force_taken_back_or_about_another_week() -> None:
    seen = Counter[int | str]()
    for seed in range(0, 48, 2):
        instance = drawn(seed)
        today = to_iso(instance.start).partition("T")[0]
        mails = [one["body"] for one in table(instance, "messages") if one["subject"].startswith("On call")]
        about_today = [body for body in mails if read_handover(body, today)]
        seen["off" if any(re.search(" is off: ", one) for one in mails) else len(about_today)] += 1

    assert set(seen) == {"off", 0, 1}


def test_the_rules_name_every_field_of_a_request_and_the_tools_can_read_them() -> None:
    [told] = [
        one["body"] for one in papers(drawn(0), texts.HANDLING_TITLE) if one["department"] == "Platform"
    ]
    fields = {field.name for type_ in PACK.approval_types for field in type_.fields}

    assert fields == {name for name in fields if f"`{name}`" in told}
    assert "approvalflow_get_approval_type" in SCENARIO.tools
