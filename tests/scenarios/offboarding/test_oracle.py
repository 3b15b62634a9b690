"""The scripted agents in companies of rows: what the oracle does is what the facts ask for, and in the right order."""

from functools import cache

import pytest

from companyos.chaos import parse_chaos
from companyos.scenario import Action, Instance
from scenarios.offboarding.facts import HELD, IN_FORCE, LAPSED
from scenarios.offboarding.scenario import SCENARIO
from scenarios.packs.staffing.stories import DELEGATIONS, HOLDS

from ..conftest import SALT
from ..constrained_change.conversation import answered, called, first_observation
from .drawn import CompanyOfRows, acts

SEEDS = range(40)
REVOKE, SUSPEND = "datahub_revoke_entitlement", "datahub_deactivate_person"


@cache
def made(seed: int) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(0), SALT, "small")


@cache
def calls_of(seed: int, agent: str) -> list[Action]:
    """Return the calls of an agent in an instance."""
    instance = made(seed)
    script = getattr(SCENARIO, agent)(first_observation(instance.brief, instance.start))
    return answered(script, CompanyOfRows(instance))[1]


def feasible() -> list[int]:
    return [seed for seed in SEEDS if made(seed).feasible]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_oracle_does_what_the_facts_ask_for_and_nothing_else(seed: int) -> None:
    calls, plan = calls_of(seed, "oracle"), SCENARIO.open_loop_plan(made(seed))

    assert sorted(map(repr, acts(calls))) == sorted(map(repr, acts(plan)))
    assert calls[-1]["tool_name"] == plan[-1]["tool_name"]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_oracle_refreshes_both_registers_before_it_changes_anything(seed: int) -> None:
    calls = calls_of(seed, "oracle")
    metrics = made(seed).goal["metrics"]
    tools = [action["tool_name"] for action in calls]
    first = min((at for at, action in enumerate(calls) if acts([action])), default=len(calls) - 1)

    refreshed = called(calls[:first], "datahub_refresh_data")

    assert refreshed == [{"metric_id": metrics[name]} for name in (HOLDS, DELEGATIONS)]
    assert len(called(calls, "datahub_refresh_data")) == 2
    assert tools.index("wait") < tools.index("datahub_query_metric")


@pytest.mark.parametrize("seed", SEEDS)
def test_the_oracle_ends_access_after_everything_that_is_handed_over(seed: int) -> None:
    calls = calls_of(seed, "oracle")
    ends = [at for at, action in enumerate(calls) if action["tool_name"] in (REVOKE, SUSPEND)]
    goal = made(seed).goal
    gives = [
        at
        for at, action in enumerate(calls)
        if acts([action])
        and action["tool_name"] not in (REVOKE, SUSPEND, "ticketdesk_create_ticket")
        and action["arguments"].get("assignee") != goal["closer"]
    ]

    assert not ends or max(gives) < min(ends)


@pytest.mark.parametrize("seed", [seed for seed in range(60) if made(seed).goal["cause"] == HELD])
def test_the_oracle_refuses_with_the_reason_and_the_metric_of_the_hold(seed: int) -> None:
    calls, refusal = calls_of(seed, "oracle"), made(seed).goal["refusal"]

    assert acts(calls) == []
    assert calls[-1]["arguments"] == {
        "reason_code": refusal["reason_codes"][0],
        "evidence": refusal["evidence"],
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_the_oracle_stays_within_its_steps(seed: int) -> None:
    assert len(calls_of(seed, "oracle")) <= made(seed).oracle_steps


def test_the_careful_agent_errs_exactly_where_a_delegation_has_lapsed() -> None:
    same = {
        seed: sorted(map(repr, acts(calls_of(seed, "careful"))))
        == sorted(map(repr, acts(calls_of(seed, "oracle"))))
        for seed in SEEDS
    }

    in_force = {seed: made(seed).goal["delegate"] is not None for seed in feasible()}

    assert {seed: same[seed] for seed in in_force} == in_force
    assert {made(seed).goal["cause"] for seed, is_right in same.items() if not is_right} >= {LAPSED}
    assert all(same[seed] for seed in SEEDS if made(seed).goal["cause"] in (IN_FORCE, HELD))


@pytest.mark.parametrize("seed", SEEDS[:12])
def test_the_naive_agent_ends_all_access_and_gives_all_work_to_whom_the_ticket_names(seed: int) -> None:
    calls, goal, rows = calls_of(seed, "naive"), made(seed).goal, made(seed).rows
    held = [row["id"] for row in rows["datahub"]["entitlements"] if row["person_id"] == goal["leaver"]]
    ticket = next(row for row in rows["ticketdesk"]["tickets"] if row["subject"] == goal["employee"])
    names = {row["id"]: row["name"] for row in rows["datahub"]["people"]}

    assigned = called(calls, "ticketdesk_assign_ticket")

    assert [one["entitlement_id"] for one in called(calls, REVOKE)] == sorted(held)
    assert {one["ticket_id"] for one in assigned} == set(goal["tickets"])
    [heir] = {one["assignee"] for one in assigned}
    assert names[heir] in ticket["description"]
    assert called(calls, SUSPEND) == [{"person_id": goal["leaver"], "mode": "suspend"}]
    assert calls[-1]["tool_name"] == "finish"
