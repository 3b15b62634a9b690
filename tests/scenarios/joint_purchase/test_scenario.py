"""Instances of joint purchases: the brief, the plan, the private goal, and what chaos and size change."""

import re
from typing import Any

import pytest

from companyos.scenario import Instance
from companyos.sdk.simtime import HOUR, MINUTE, to_iso
from scenarios.joint_purchase.scenario import SCENARIO, SIGNED_S, STARTS
from scenarios.joint_purchase.terms import DECLINED

from .drawings import drawing
from .test_instances import drawn

SOME = range(12)
REQUEST = "approvalflow_request_purchase"


def declined() -> Instance:
    return next(one for one in map(drawn, range(200)) if one.goal["ending"] == DECLINED)


def tools_of(instance: Instance) -> list[str]:
    return [action["tool_name"] for action in SCENARIO.open_loop_plan(instance)]


def arguments(instance: Instance, tool: str) -> dict[str, Any]:
    [found] = [one for one in SCENARIO.open_loop_plan(instance) if one["tool_name"] == tool]
    return dict(found["arguments"])


def test_the_facts_that_these_tests_draw_are_those_of_the_instances() -> None:
    for seed in SOME:
        facts, goal = drawing(seed).facts, drawn(seed).goal

        assert facts.ending.kind == goal["ending"]
        assert facts.me.id == goal["persona"]
        assert facts.item["id"] == goal["item_id"]


@pytest.mark.parametrize("seed", SOME)
def test_the_brief_names_the_persona_the_item_and_both_departments_in_order(seed: int) -> None:
    instance, facts = drawn(seed), drawing(seed).facts

    first, second = (instance.brief.index(one.name) for one in facts.departments)
    assert first < second
    assert f"({instance.persona.id}), buyer at" in instance.brief
    assert f"{facts.item['name']} ({facts.item['id']}), {facts.case.wanted} of them" in instance.brief
    assert instance.brief.endswith(facts.reporter.name)


@pytest.mark.parametrize("seed", SOME)
def test_the_plan_refreshes_reads_waits_requests_waits_and_orders(seed: int) -> None:
    instance = drawn(seed)
    refreshes = ["datahub_refresh_data"] * len(instance.goal["metrics"])

    last = [REQUEST, "wait", "approvalflow_place_order", "finish"] if instance.feasible else ["refuse"]
    reads = ["datahub_get_document", *["datahub_get_message"] * (len(instance.goal["papers"]) - 1)]
    assert tools_of(instance) == [*refreshes, *reads, "wait", *last]
    assert len(refreshes) in (2, 4)


def test_the_plan_of_a_purchase_that_cannot_be_made_names_the_short_budget() -> None:
    instance = declined()

    refusal = arguments(instance, "refuse")

    assert instance.refusal is not None
    short = instance.refusal.evidence
    assert refusal == {"reason_code": "no_budget", "evidence": short}
    assert not instance.feasible
    assert "purchase" not in instance.goal


@pytest.mark.parametrize("seed", SOME)
def test_the_order_of_the_plan_is_for_the_purchase_after_the_colleagues(seed: int) -> None:
    instance = drawn(seed)
    if not instance.feasible:
        return

    highest = max(int(row["id"][4:]) for row in instance.rows["approvalflow"]["purchases"])

    assert instance.goal["purchase_id"] == f"PUR-{highest + 2:04}"
    assert re.fullmatch(r"PUR-\d{4}", instance.goal["purchase_id"])


@pytest.mark.parametrize("seed", SOME)
def test_the_plan_requests_a_minute_after_everything_is_ready(seed: int) -> None:
    instance = drawn(seed)
    ready_in_s = drawing(seed).facts.ready_at - instance.start + MINUTE

    waits = [one["arguments"] for one in SCENARIO.open_loop_plan(instance) if one["tool_name"] == "wait"]

    assert waits[0] == {"seconds": ready_in_s}
    assert waits[1:] == [{"seconds": SIGNED_S}] * instance.feasible
    assert SIGNED_S > 4 * HOUR


def test_episodes_start_on_mornings_well_within_a_quarter() -> None:
    for start in STARTS:
        for day in range(18):
            begins = to_iso(start + day * 86_400)
            assert begins.endswith("T08:30:00Z")
            # A month is left at either end, so that a past order falls into the quarter.
            assert int(begins[5:7]) % 3 in (2, 0)
            assert not (int(begins[5:7]) % 3 == 0 and int(begins[8:10]) > 20)


@pytest.mark.parametrize("seed", SOME)
def test_guidance_is_the_chapter_in_force(seed: int) -> None:
    instance = drawn(seed)

    [chapter] = [
        row
        for row in instance.rows["datahub"]["documents"]
        if row["title"] == instance.guidance.pointers[0] and row["status"] == "in_force"
    ]
    assert instance.guidance.rules == chapter["body"]
