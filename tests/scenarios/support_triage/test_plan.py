"""The open-loop plan of a morning, and what an instance shows to the agent and keeps for itself."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from companyos.chaos import parse_chaos
from companyos.scenario import Action, ExpectedRefusal, Instance, call
from companyos.sdk.simtime import HOUR, MINUTE, from_iso, to_iso
from scenarios.support_triage.cases import CHANGED, NUDGED, TAKEN, WITHDRAWN, SupportCase
from scenarios.support_triage.content import QUEUES
from scenarios.support_triage.pack import CASE
from scenarios.support_triage.plan import plan_for
from scenarios.support_triage.rulebook import FROZEN
from scenarios.support_triage.scenario import BOTH, FIRST, SCENARIO, SECOND
from scenarios.support_triage.world import HANDBOOK_TITLE, REFRESH_S

from ..conftest import SALT, instance_of
from .worked import CASES, DUPLICATE, FIXED, INCIDENT, QUESTION, VAGUE, with_intervention

SEEDS = range(60)
#: The tool that reads a customer's contract.
READ = "datahub_get_document"


@cache
def made(seed: int, level: int = 0) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(level), SALT, "small")


def of_cause(cause: str) -> list[Instance]:
    return [made(seed) for seed in SEEDS if made(seed).cause == cause]


def with_cases(*cases: SupportCase) -> tuple[int, list[Action]]:
    """Return the start of a morning with only these tickets, and its plan without the look at the services."""
    instance = of_cause(FIRST)[0]
    plan = plan_for(replace(instance, goal={**instance.goal, "cases": cases}))
    return instance.start, plan[5:]


def arriving(case: SupportCase, after_s: int, **columns: Any) -> SupportCase:
    return replace(case, at=of_cause(FIRST)[0].start + after_s, **columns)


def tools(plan: list[Action]) -> list[str]:
    return [action["tool_name"].removeprefix("ticketdesk_").removesuffix("_ticket") for action in plan]


@pytest.mark.parametrize(
    ("case", "acts"),
    [
        (QUESTION, ["answer", READ, "update", "route"]),
        (INCIDENT, ["answer", READ, "update", "route", "link", "assign"]),
        (FIXED, ["answer", "close"]),
        (VAGUE, ["return"]),
        (DUPLICATE, ["merge"]),
    ],
    ids=lambda given: getattr(given, "sort", None),
)
def test_each_sort_of_ticket_is_planned_as_its_own_acts(case: SupportCase, acts: list[str]) -> None:
    _, plan = with_cases(arriving(case, -60))

    assert tools(plan) == [*acts, "finish"]
    assert {action["arguments"].get("ticket_id", case.ticket_id) for action in plan[:-1]} == {case.ticket_id}


def test_an_act_carries_what_is_right_for_its_ticket() -> None:
    _, plan = with_cases(arriving(INCIDENT, -60))

    given = {action["tool_name"]: action["arguments"] for action in plan}
    assert given["ticketdesk_answer_ticket"]["document_ids"] == ["DOC-2"]
    assert given["ticketdesk_update_ticket"]["priority"] == "urgent"
    assert given["ticketdesk_route_ticket"]["queue"] == "platform"
    assert given["ticketdesk_link_ticket"]["kind"] == "relates"
    assert given["ticketdesk_link_ticket"]["target"] == "TD-801"
    assert given["ticketdesk_assign_ticket"]["assignee"] == "call.platform"


def test_tickets_that_are_there_are_planned_by_their_deadlines() -> None:
    later, sooner = arriving(QUESTION, -60, due=9000), arriving(FIXED, -30, due=8000)

    _, plan = with_cases(later, sooner)

    assert [action["arguments"]["ticket_id"] for action in plan if "close" in action["tool_name"]] == ["TD-3"]
    assert tools(plan)[:2] == ["answer", "close"]


@pytest.mark.parametrize(("after_s", "waits"), [(-1, 0), (0, 0), (1, 1)], ids=["before", "at-start", "after"])
def test_a_ticket_that_is_not_there_at_the_start_is_waited_for(after_s: int, waits: int) -> None:
    _, plan = with_cases(arriving(QUESTION, after_s))

    assert tools(plan) == [*["wait"] * waits, "answer", READ, "update", "route", "finish"]


def test_later_tickets_are_planned_as_they_arrive_a_minute_after_each() -> None:
    second, first = arriving(QUESTION, 2 * HOUR, due=1), arriving(FIXED, HOUR, due=2)

    start, plan = with_cases(second, first)

    waits = [action["arguments"]["until"] for action in plan if action["tool_name"] == "wait"]
    assert waits == [to_iso(start + HOUR + MINUTE), to_iso(start + 2 * HOUR + MINUTE)]
    assert tools(plan)[1:3] == ["answer", "close"]


@pytest.mark.parametrize(
    ("kind", "acts"),
    [
        (CHANGED, ["wait", "answer", READ, "update", "route"]),
        (NUDGED, ["wait", "answer", READ, "update", "route"]),
        (WITHDRAWN, ["wait", "close"]),
        (TAKEN, ["wait"]),
    ],
)
def test_the_plan_waits_for_an_intervention_before_it_works_the_ticket(kind: str, acts: list[str]) -> None:
    start = of_cause(FIRST)[0].start
    case = arriving(QUESTION, -60, due=start + 2 * HOUR)

    _, plan = with_cases(with_intervention(case, kind, at=start + HOUR))

    assert tools(plan) == [*acts, "finish"]
    assert plan[0]["arguments"]["until"] == to_iso(start + HOUR + MINUTE)


@pytest.mark.parametrize(
    ("kind", "first", "acts"),
    [(CHANGED, "DOC-0", ["answer", READ, "update", "route"]), (WITHDRAWN, "DOC-1", ["close"])],
)
def test_what_is_due_before_the_customer_writes_again_is_answered_first(
    kind: str, first: str, acts: list[str]
) -> None:
    start = of_cause(FIRST)[0].start
    case = arriving(QUESTION, -60, due=start + 2 * HOUR)

    _, plan = with_cases(with_intervention(case, kind, at=start + 3 * HOUR))

    assert tools(plan) == ["answer", "wait", *acts, "finish"]
    assert plan[0]["arguments"]["document_ids"] == [first]


def test_every_plan_begins_with_a_refresh_of_both_rates_and_reads_them() -> None:
    for seed in SEEDS:
        refresh, read = (
            [call(tool, metric_id=one) for one in made(seed).goal["metrics"]]
            for tool in ("datahub_refresh_data", "datahub_query_metric")
        )

        assert plan_for(made(seed))[:5] == [*refresh, call("wait", seconds=REFRESH_S), *read]


def test_the_plan_of_a_major_incident_refuses_with_both_metrics_and_touches_nothing() -> None:
    for instance in of_cause(BOTH):
        [refuse] = plan_for(instance)[5:]

        metrics = instance.goal["metrics"]
        assert refuse == call("refuse", reason_code=FROZEN, evidence=metrics)
        assert instance.refusal == ExpectedRefusal([FROZEN], metrics)


def test_every_plan_is_in_time_for_every_ticket_even_at_a_minute_an_act() -> None:
    for instance in (*of_cause(FIRST), *of_cause(SECOND)):
        due = {case.ticket_id: case.due for case in instance.goal["cases"]}
        answered = set[str]()
        now = instance.start
        for action in plan_for(instance):
            given = action["arguments"]
            now = max(now + MINUTE, from_iso(given["until"]) if "until" in given else 0)
            now += int(given.get("seconds", 0))
            if action["tool_name"] == "ticketdesk_answer_ticket":
                assert now <= due[given["ticket_id"]] or given["ticket_id"] in answered
                answered.add(given["ticket_id"])


def test_one_service_is_down_in_each_of_a_pair_or_both_are_in_one() -> None:
    pairs = {frozenset(made(seed + one).cause for one in (0, 1)) for seed in SEEDS[::2]}

    assert pairs == {frozenset({FIRST, SECOND}), frozenset({FIRST, BOTH})}


def test_only_a_major_incident_is_to_be_refused() -> None:
    for seed in SEEDS:
        instance = made(seed)

        assert instance.feasible == (instance.cause != BOTH)


def test_full_guidance_is_the_handbook_in_force() -> None:
    for seed in SEEDS[:8]:
        instance = made(seed)
        editions = [row for row in instance.rows["datahub"]["documents"] if row["title"] == HANDBOOK_TITLE]
        [now] = [row for row in editions if row["status"] == "in_force"]

        assert instance.guidance.rules == now["body"]
        assert instance.guidance.pointers == (HANDBOOK_TITLE, now["id"])


def test_every_queue_has_its_own_person_on_call() -> None:
    for seed in SEEDS[:8]:
        queues = made(seed).rows["ticketdesk"]["queues"]

        assert {row["id"] for row in queues} == set(QUEUES)
        assert len({row["on_call"] for row in queues}) == len(QUEUES)


def test_cases_of_the_past_are_closed_answered_and_out_of_intake() -> None:
    for seed in SEEDS[:6]:
        instance = instance_of(SCENARIO, seed)
        desk = instance.rows["ticketdesk"]
        today = {case.ticket_id for case in instance.goal["cases"]}
        queues = {row["id"]: row["queue"] for row in desk["placements"]}
        clocks = {row["id"]: row for row in desk["answer_clocks"]}
        past = [row for row in desk["tickets"] if row["kind"] == CASE and row["id"] not in today]

        assert len(past) > 5
        for row in past:
            assert (row["status"], queues[row["id"]] != "intake") == ("closed", True)
            assert row["created_at"] <= instance.start - 48 * HOUR
            assert clocks[row["id"]]["answered_at"] == row["created_at"] + HOUR


def test_one_case_of_each_sort_stands_for_all() -> None:
    sorts = {case.sort for seed in SEEDS for case in made(seed).goal["cases"]}

    assert {case.sort for case in CASES} == sorts
