"""Instances of audits: the brief, the plan, the private goal, and what chaos and size change."""

from typing import Any

import pytest

from companyos.scenario import Action, Instance
from scenarios.data_quality_audit.scenario import SCENARIO
from scenarios.packs.analytics import REFRESH_S

from .drawings import drawing
from .drawn_audits import drawn

SOME = range(12)
QUARANTINE, RELEASE = "datahub_quarantine_metric", "datahub_release_metric"


def refused() -> Instance:
    return next(one for one in map(drawn, range(200)) if not one.feasible)


def with_everything() -> Instance:
    """Return an audit with dashboards to quarantine, one to release, and tickets to link."""
    return next(one for one in map(drawn, range(200)) if one.goal["released"] and one.goal["tickets"])


def plan(instance: Instance) -> list[Action]:
    return SCENARIO.open_loop_plan(instance)


def arguments(instance: Instance, tool: str, name: str) -> list[Any]:
    """Return what the calls of a tool in the plan say for an argument."""
    return [one["arguments"][name] for one in plan(instance) if one["tool_name"] == tool]


def test_the_facts_that_these_tests_draw_are_those_of_the_instances() -> None:
    for seed in SOME:
        facts, goal = drawing(seed).facts, drawn(seed).goal

        assert facts.failed_feeds == goal["failed_feeds"]
        assert sorted(facts.new) == goal["new"]
        assert facts.ticket["id"] == goal["ticket_id"]


@pytest.mark.parametrize("seed", SOME)
def test_the_brief_names_the_area_and_the_ticket_and_no_feed(seed: int) -> None:
    instance, facts = drawn(seed), drawing(seed).facts

    assert instance.brief.count(facts.area.name) == 2
    assert facts.ticket["id"] in instance.brief
    assert not [one for one in instance.private if one in instance.brief]
    assert len(instance.private) == 6
    assert "{" not in instance.brief


@pytest.mark.parametrize("seed", SOME)
def test_the_plan_refreshes_waits_and_reads_before_anything_else(seed: int) -> None:
    instance = drawn(seed)
    controls = instance.goal["controls"]

    first = [(one["tool_name"], one["arguments"]) for one in plan(instance)[:5]]

    assert first == [
        *(("datahub_refresh_data", {"metric_id": one}) for one in controls),
        ("wait", {"seconds": REFRESH_S}),
        *(("datahub_query_metric", {"metric_id": one}) for one in controls),
    ]


def test_the_plan_quarantines_releases_links_and_answers() -> None:
    instance = with_everything()
    goal = instance.goal

    assert arguments(instance, QUARANTINE, "metric_id") == goal["new"]
    assert arguments(instance, RELEASE, "metric_id") == goal["released"]
    assert arguments(instance, "ticketdesk_link_ticket", "ticket_id") == goal["tickets"]
    assert {*arguments(instance, "ticketdesk_link_ticket", "target")} == {goal["ticket_id"]}
    assert plan(instance)[-1]["arguments"] == {"answer": goal["failed_feeds"]}


def test_the_plan_of_an_audit_that_is_handed_back_writes_nothing() -> None:
    instance = refused()

    tools = [one["tool_name"] for one in plan(instance)]

    assert tools[5:] == ["refuse"]
    assert instance.goal["new"] == instance.goal["tickets"] == []


@pytest.mark.parametrize("seed", SOME)
def test_the_answer_is_the_set_of_failed_feeds_in_any_order(seed: int) -> None:
    instance = drawn(seed)
    right = instance.goal["failed_feeds"]

    assert instance.answer is not None
    assert instance.answer.is_right(right[::-1])
    assert not instance.answer.is_right([*right, "FEED-0"])
    assert not instance.answer.is_right(right[1:]) or not right


@pytest.mark.parametrize("seed", SOME)
def test_both_sets_are_shown_on_the_grade_card(seed: int) -> None:
    instance = drawn(seed)

    assert [(one.name, sorted(one.wanted)) for one in instance.sets] == [
        ("dashboards", instance.goal["new"]),
        ("tickets", instance.goal["tickets"]),
    ]


@pytest.mark.parametrize("seed", SOME)
def test_guidance_points_to_the_rules_in_force(seed: int) -> None:
    instance = drawn(seed)

    [rules] = [
        row
        for row in instance.rows["datahub"]["documents"]
        if row["title"] == instance.guidance.pointers[0] and row["status"] == "in_force"
    ]
    assert instance.guidance.rules == rules["body"]
