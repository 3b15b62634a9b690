"""What an instance of the desk offers to the agent, keeps for itself, and plans without looking."""

from functools import cache

import pytest

from companyos.chaos import parse_chaos
from companyos.scenario import Action, ExpectedRefusal, Instance
from companyos.sdk.simtime import HOUR
from scenarios.approver_desk.documents import DEPARTMENT
from scenarios.approver_desk.scenario import COVERED, ENDED_COVER, LESS, MORE, SCENARIO
from scenarios.approver_desk.terms import ENDED

from ..conftest import SALT

CAUSES = (MORE, LESS, COVERED, ENDED_COVER)
SEEDS = range(48)


@cache
def made(seed: int, level: int = 0) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(level), SALT, "small")


def of_cause(cause: str) -> list[Instance]:
    return [made(seed) for seed in SEEDS if made(seed).cause == cause]


def plan(instance: Instance) -> list[Action]:
    return SCENARIO.open_loop_plan(instance)


def tools_of(instance: Instance) -> list[str]:
    return [action["tool_name"] for action in plan(instance)]


@pytest.mark.parametrize("cause", CAUSES)
def test_every_cause_is_drawn(cause: str) -> None:
    assert len(of_cause(cause)) >= 2


def test_only_an_ended_cover_makes_the_task_one_to_refuse() -> None:
    for seed in SEEDS:
        instance = made(seed)

        assert instance.feasible == (instance.cause != ENDED_COVER)


def test_a_pair_differs_only_in_the_refreshed_ledger_or_in_the_minutes() -> None:
    for seed in SEEDS[::2]:
        one, other = made(seed), made(seed + 1)
        differing = {
            (service, table, row["id"])
            for service, tables in one.rows.items()
            for table, rows in tables.items()
            for row, twin in zip(rows, other.rows[service][table], strict=True)
            if row != twin
        }

        ledger, minutes = one.private
        is_about_money = {one.cause, other.cause} == {MORE, LESS}
        expected = ("datahub", "sources", ledger) if is_about_money else ("datahub", "documents", minutes)
        assert differing == {expected}


def test_the_brief_introduces_the_agent_and_names_the_absent_head() -> None:
    for seed in SEEDS[:8]:
        instance = made(seed)
        people = {row["id"]: row for row in instance.rows["datahub"]["people"]}
        request = next(iter(instance.goal["dispositions"]))
        head = next(row for row in instance.rows["approvalflow"]["requests"] if row["id"] == request)[
            "approver"
        ]

        assert f"{instance.persona.name} ({instance.persona.id})" in instance.brief
        assert people[head]["name"] in instance.brief
        assert instance.brief.endswith(people[people[instance.persona.id]["manager"]]["name"])


def test_full_guidance_contains_the_rules_in_force_and_no_others() -> None:
    for seed in SEEDS[:8]:
        instance = made(seed)
        editions = [row for row in instance.rows["datahub"]["documents"] if row["kind"] == "policy"]
        mine = [row for row in editions if row["department"] == DEPARTMENT]

        shown = {row["status"] for row in mine if row["body"] in instance.guidance.rules}
        assert shown == {"in_force"}


def test_pointers_name_each_document_of_the_desk_once() -> None:
    instance = made(0)
    documents = instance.rows["datahub"]["documents"]

    pointers = instance.guidance.pointers

    assert len(pointers) == len(set(pointers))
    assert set(pointers) == {row["title"] for row in documents if row["department"] == DEPARTMENT}


def test_the_agent_decides_in_person_and_nothing_is_decided_for_them() -> None:
    for seed in SEEDS[:8]:
        people = {row["id"]: row for row in made(seed).rows["approvalflow"]["people"]}

        assert people[made(seed).persona.id]["by_hand"]


def test_the_plan_of_a_task_to_refuse_reads_the_minutes_and_refuses_with_them() -> None:
    for instance in of_cause(ENDED_COVER):
        read, refuse = plan(instance)

        minutes = read["arguments"]["document_id"]
        assert refuse["arguments"] == {"reason_code": ENDED, "evidence": [minutes]}
        assert instance.refusal == ExpectedRefusal([ENDED], [minutes])


def test_a_plan_settles_every_request_once_and_finishes() -> None:
    for cause in (MORE, LESS, COVERED):
        for instance in of_cause(cause):
            settled = [
                action["arguments"]["request_id"]
                for action in plan(instance)
                if action["tool_name"] in ("approvalflow_decide_request", "approvalflow_pass_on")
            ]

            assert sorted(settled) == sorted(instance.goal["dispositions"])
            assert tools_of(instance)[-1] == "finish"


def test_a_plan_asks_first_then_refreshes_and_decides_only_after_the_answers() -> None:
    for instance in of_cause(MORE):
        asks = len(instance.goal["asked"])
        tools = tools_of(instance)

        assert tools[:asks] == ["approvalflow_ask_requester"] * asks
        assert tools[asks : asks + 2] == ["datahub_refresh_data", "wait"]
        assert plan(instance)[asks + 1]["arguments"]["seconds"] > 5 * HOUR


def test_each_outcome_is_planned_as_the_act_that_brings_it() -> None:
    seen = set()
    for instance in of_cause(MORE):
        for action in plan(instance):
            given = action["arguments"]
            end = instance.goal["dispositions"].get(given.get("request_id", ""), "")
            if action["tool_name"] == "approvalflow_pass_on":
                assert end == f"passed_on:{given['to']}"
            elif action["tool_name"] == "approvalflow_decide_request":
                reason = given.get("reason_code")
                assert end == (f"rejected:{reason}" if given["decision"] == "reject" else "approved")
            else:
                continue
            seen.add(end.partition(":")[0])

    assert seen == {"approved", "rejected", "passed_on"}


def test_the_card_counts_outcomes_unless_the_cover_has_ended() -> None:
    for cause in CAUSES:
        for instance in of_cause(cause):
            names = [one.name for one in instance.sets]
            assert names == ([] if cause == ENDED_COVER else ["dispositions"])
