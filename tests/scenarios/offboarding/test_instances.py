"""Drawn off-boardings: the right outcome follows from visible rows and one refresh."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from companyos.scenario import Instance
from scenarios.offboarding.scenario import SCENARIO
from scenarios.packs.staffing.stories import DELEGATIONS, HOLDS

from ..conftest import instance_of

SEEDS = range(60)
PAIRS = range(0, 60, 2)


def made(seed: int) -> Instance:
    return instance_of(SCENARIO, seed)


def table(instance: Instance, service: str, name: str) -> dict[str, Mapping[str, Any]]:
    return {row["id"]: row for row in instance.rows[service][name]}


def test_about_one_task_in_eight_cannot_be_done() -> None:
    infeasible = sum(not made(seed).feasible for seed in range(160))

    assert 8 <= infeasible <= 32


def test_leaving_and_moving_both_occur_and_so_does_every_cause() -> None:
    assert {made(seed).cause for seed in SEEDS} == {"in_force", "lapsed", "held", "free"}
    assert {made(seed).goal["moves"] for seed in SEEDS} == {True, False}


@pytest.mark.parametrize("seed", range(20))
def test_the_registers_tell_the_cause_only_after_a_refresh(seed: int) -> None:
    instance = made(seed)
    sources, metrics = table(instance, "datahub", "sources"), instance.goal["metrics"]
    holds, delegations = (sources[metrics[name]]["values"][-1] for name in (HOLDS, DELEGATIONS))

    assert bool(holds) == (instance.cause == "held")
    if instance.cause in ("in_force", "lapsed"):
        assert bool(delegations) == (instance.cause == "in_force")


@pytest.mark.parametrize("seed", range(20))
def test_what_is_handed_over_is_exactly_what_the_leaver_has(seed: int) -> None:
    instance = made(seed)
    goal, leaver = instance.goal, instance.goal["leaver"]
    tickets = table(instance, "ticketdesk", "tickets").values()
    owned = table(instance, "datahub", "ownerships").values()

    open_ones = {row["id"] for row in tickets if row["assignee"] == leaver and row["status"] != "closed"}

    assert open_ones == set(goal["tickets"])
    assert {row["id"] for row in owned if row["owner"] == leaver} == set(goal["data"])
    assert [row["id"] for row in tickets if row["assignee"] == leaver and row["status"] == "closed"]
    assert [row["id"] for row in tickets if row["reporter"] == leaver and row["assignee"] != leaver]


@pytest.mark.parametrize("seed", range(20))
def test_nobody_takes_over_who_is_on_leave_or_whom_the_ticket_names(seed: int) -> None:
    instance = made(seed)
    away = {
        row["person_id"] for row in instance.rows["datahub"]["absences"] if row["ends_at"] > instance.start
    }
    text = next(
        row["description"]
        for row in instance.rows["ticketdesk"]["tickets"]
        if row["kind"] == "offboarding" and row["subject"] == instance.goal["employee"]
    )
    heirs = {*instance.goal["tickets"].values(), *instance.goal["data"].values()}

    names = {row["id"]: row["name"] for row in instance.rows["datahub"]["people"]}

    assert not heirs & away
    assert not [one for one in heirs if names[one] in text]


def test_checklists_differ_from_company_to_company() -> None:
    checklists = {made(seed).guidance.rules for seed in PAIRS}
    heirs = {"the person's manager", "the manager of the person's manager", "whoever the form names last"}

    assert len(checklists) > len(PAIRS) * 0.9
    assert {heir for heir in heirs for text in checklists if f"or to {heir} where" in text} == heirs


@pytest.mark.parametrize("seed", range(20))
def test_the_checklist_in_force_says_what_its_former_edition_said_otherwise(seed: int) -> None:
    instance = made(seed)
    texts = {
        row["status"]: row["body"]
        for row in instance.rows["datahub"]["documents"]
        if row["title"] == "Checklist for people who leave or move"
    }
    roles, priorities, reasons = (
        {status: re.findall(pattern, text) for status, text in texts.items()}
        for pattern in (r"in the role `(\w+)`", r"the priority `(\w+)`", r"decline with `(\w+)`")
    )

    for found in (roles, priorities, reasons):
        assert len(found["in_force"]) == len(found["superseded"]) == 1
        assert found["in_force"] != found["superseded"]
    assert priorities["in_force"] == [instance.goal["priority"]]
    assert instance.refusal is None or instance.refusal.reason_codes == reasons["in_force"]


@pytest.mark.parametrize("seed", range(20))
def test_one_person_holds_the_role_that_gets_the_ticket(seed: int) -> None:
    instance = made(seed)
    people = table(instance, "datahub", "people")
    role = people[instance.goal["closer"]]["role"]

    assert [one for one, row in people.items() if row["role"] == role] == [instance.goal["closer"]]
    assert f"role `{role}`" in instance.guidance.rules


@pytest.mark.parametrize("seed", range(20))
def test_the_leaver_has_a_namesake_with_work_and_access_of_their_own(seed: int) -> None:
    instance = made(seed)
    people = table(instance, "datahub", "people")
    leaver = people[instance.goal["leaver"]]
    family = leaver["name"].split()[-1]

    namesakes = {key for key, row in people.items() if row["name"].endswith(f" {family}")} - {leaver["id"]}

    held = {row["person_id"] for row in instance.rows["datahub"]["entitlements"]}
    assigned = {row["assignee"] for row in instance.rows["ticketdesk"]["tickets"]}
    assert namesakes & held & assigned


def test_the_right_calls_differ_from_seed_to_seed() -> None:
    plans = {
        tuple(action["tool_name"] for action in SCENARIO.open_loop_plan(made(seed))) for seed in range(50)
    }

    assert len(plans) >= 8
