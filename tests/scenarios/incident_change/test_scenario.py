"""Whole incidents as they are handed out: the brief, the private facts, and the plan that solves them."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from companyos.chaos import parse_chaos
from companyos.scenario import Action, Instance
from companyos.sdk.simtime import HOUR
from scenarios.incident_change.scenario import SCENARIO
from tests.scenarios.conftest import SALT

SEEDS = range(60)
ENDINGS = ("recovered", "handed_over", "scheduled", "run_by_provider")
each_ending = pytest.mark.parametrize("ending", ENDINGS)


@cache
def instance(seed: int, level: int = 0) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(level), SALT, "small")


def of(*endings: str) -> Iterator[Instance]:
    """Yield the instances with these endings."""
    yield from (instance(seed) for seed in SEEDS if instance(seed).goal["ending"] in endings)


def tools(plan: list[Action]) -> list[str]:
    """Return the tools that a plan calls in order, with the services' names left out."""
    return [action["tool_name"].partition("_")[2] or action["tool_name"] for action in plan]


def arguments(plan: list[Action], tool: str) -> list[dict[str, Any]]:
    return [action["arguments"] for action in plan if action["tool_name"].endswith(tool)]


def highest(one: Instance, prefix: str, table: str) -> int:
    """Return the highest number of a series that is in use at the start."""
    ids = [row["id"] for row in one.rows["ticketdesk"][table]]
    return max(int(row_id.removeprefix(prefix)) for row_id in ids)


def test_the_brief_names_the_system_the_suspect_and_who_asks_and_nothing_private() -> None:
    for seed in SEEDS:
        one = instance(seed)
        named = {row["id"]: row["name"] for row in one.rows["datahub"]["records"]}

        assert f"complaining about {named[one.goal['victim']]} since" in one.brief
        assert f"is sure that {named[one.goal['suspect']]} is behind it" in one.brief
        assert not [fact for fact in one.private if fact in one.brief]


def test_the_cause_and_the_approver_are_private() -> None:
    for seed in SEEDS:
        one = instance(seed)
        named = {row["id"]: row["name"] for row in one.rows["datahub"]["records"]}

        assert {one.goal["root"], named[one.goal["root"]]} < set(one.private)
        if "request" in one.goal:
            assert one.goal["request"]["approver"] in one.private


@each_ending
def test_only_what_a_provider_runs_cannot_be_done(ending: str) -> None:
    found = list(of(ending))

    assert found
    for one in found:
        assert one.feasible is (ending != "run_by_provider")


def test_a_refusal_has_to_name_the_agreement_in_force_about_the_cause() -> None:
    for one in of("run_by_provider"):
        assert one.refusal is not None
        [evidence] = one.refusal.evidence
        [paper] = [row for row in one.rows["datahub"]["documents"] if row["id"] == evidence]

        assert one.refusal.reason_codes == ["run_by_provider"]
        assert (paper["kind"], paper["status"]) == ("agreement", "in_force")
        assert paper["links"] == [one.goal["root"]]


def test_the_plan_names_the_ids_that_the_service_will_give_to_what_is_created() -> None:
    for one in of("recovered", "handed_over", "scheduled"):
        numbers = [int(rollout["change_id"].removeprefix("CHG-")) for rollout in one.goal.get("rollouts", ())]

        assert one.goal["ticket_id"] == f"TD-{highest(one, 'TD-', 'tickets') + 1}"
        if numbers:
            first = highest(one, "CHG-", "changes") + 1
            assert numbers == list(range(first, first + len(numbers)))


@each_ending
def test_the_plan_measures_before_it_opens_the_incident(ending: str) -> None:
    for one in of(ending):
        plan = SCENARIO.open_loop_plan(one)

        assert tools(plan)[:4] == ["refresh_data", "refresh_data", "wait", "create_ticket"]
        assert [one["metric_id"] for one in arguments(plan[:2], "refresh_data")] == one.goal["readings"]


@pytest.mark.parametrize(
    ("ending", "rest"),
    [("run_by_provider", ["refuse"]), ("scheduled", ["plan_change", "assign_ticket", "finish"])],
)
def test_the_plan_ends_at_once_if_nothing_can_be_changed_today(ending: str, rest: list[str]) -> None:
    for one in of(ending):
        assert tools(SCENARIO.open_loop_plan(one))[4:] == rest


TRIED = ["plan_change", "roll_out_change", "refresh_data", "wait", "query_metric"]


@pytest.mark.parametrize(
    ("ending", "after", "rest"),
    [
        ("recovered", [], ["close_ticket", "finish"]),
        ("handed_over", ["roll_back_change"], ["assign_ticket", "finish"]),
    ],
)
def test_the_plan_takes_back_every_attempt_but_one_that_helped(
    ending: str, after: list[str], rest: list[str]
) -> None:
    for one in of(ending):
        attempts = [[*TRIED, "roll_back_change"] for _ in one.goal["rollouts"][1:]]
        wanted = [*(tool for attempt in attempts for tool in attempt), *TRIED, *after, *rest]

        assert tools(SCENARIO.open_loop_plan(one))[4:] == ["submit_approval", "wait", *wanted]


def test_the_plan_waits_longer_than_the_decision_and_a_refresh_take() -> None:
    for one in of("recovered", "handed_over"):
        [after_readings, after_request, *after_rollouts] = [
            wait["seconds"] for wait in arguments(SCENARIO.open_loop_plan(one), "wait")
        ]
        refresh_s = max(row["refresh_s"] for row in one.rows["datahub"]["metrics"] if row["subject"])

        assert after_request > HOUR
        assert min(after_readings, *after_rollouts) > refresh_s


def test_the_request_states_the_incident_the_cause_and_the_severity() -> None:
    for one in of("recovered", "handed_over"):
        wanted = {"incident": one.goal["ticket_id"], "system": one.goal["root"], "severity": 1}

        assert one.goal["request"]["fields"] == wanted


def test_the_guidance_is_the_title_and_the_text_of_the_rules_in_force() -> None:
    for seed in range(8):
        one = instance(seed)
        [rules] = [row for row in one.rows["datahub"]["documents"] if row["body"] == one.guidance.rules]

        assert one.guidance.pointers == (rules["title"],)
        assert rules["status"] == "in_force"
