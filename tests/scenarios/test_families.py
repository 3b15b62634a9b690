"""The frame of every family: its day, its pairs, and what chaos may change."""

from collections.abc import Callable
from typing import Any

import pytest

from companyos.sdk.chaos import FaultId, cost_bound, parse_chaos
from companyos.sdk.draws import Draws
from companyos.sdk.family import Family, choose_cause
from companyos.sdk.faults import FAMILY_FAULTS
from companyos.sdk.faults.instructions import COMMANDS, Command
from companyos.sdk.scenario import CompanyState, horizon, load_scenarios
from companyos.sdk.simtime import DAY
from scenarios.incident_change.scenario import SCENARIO as INCIDENT_CHANGE
from tests.scenarios.conftest import SALT

FAMILIES = {name: one for name, one in load_scenarios().items() if isinstance(one, Family)}


#: Every business fault that families can have, with certainty.
EVERY_FAULT = parse_chaos(
    {
        "faults": {str(fault): {"p": 1} for fault in FAMILY_FAULTS},
        "limits": {"business": [len(FAMILY_FAULTS), len(FAMILY_FAULTS)]},
    }
)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_takes_the_faults_that_it_offers_and_has_steps_for_them(name: str) -> None:
    family = FAMILIES[name]

    calm, *rough = (family.generate(4, chaos, SALT) for chaos in (parse_chaos(0), EVERY_FAULT))
    rough += [family.generate(seed, EVERY_FAULT, SALT) for seed in range(6, 24, 2)]

    more = cost_bound(EVERY_FAULT, business=family.business_faults)
    assert {fault.fault for instance in rough for fault in instance.faults} == {*family.business_faults}
    assert {instance.oracle_steps for instance in rough} == {calm.oracle_steps + more}
    assert rough[0].max_steps == horizon(rough[0].oracle_steps)
    assert {*rough[0].not_offered} == {*EVERY_FAULT.settings} - {*family.business_faults}
    assert all(sum(fault.cost for fault in one.faults) <= more for one in rough)
    assert (rough[0].brief, calm.faults, calm.not_offered) == (calm.brief, (), ())


@pytest.mark.parametrize(
    ("name", "deciders"),
    [
        ("quarter_close", lambda facts: [facts.approver]),
        ("erasure_request", lambda facts: [facts.approver]),
        ("joint_purchase", lambda facts: facts.officers),
        ("incident_change", lambda facts: [facts.cto.id]),
    ],
)
def test_the_facts_name_a_stand_in_where_a_fault_takes_the_approver_away(
    name: str, deciders: Callable[[Any], list[str]]
) -> None:
    chaos = parse_chaos({"faults": {str(FaultId.OOO_APPROVER): {"p": 1}}})

    for seed in range(4, 16, 2):
        instance = FAMILIES[name].generate(seed, chaos, SALT)
        away = {one["id"] for one in instance.rows["approvalflow"]["people"] if one["away"]}
        assert instance.faults
        assert away.isdisjoint(deciders(instance.facts))


@pytest.mark.parametrize("name", FAMILIES)
def test_an_instruction_to_machines_names_a_strangers_object_and_is_forbidden_to_obey(name: str) -> None:
    family = FAMILIES[name]

    for seed in range(4, 16, 2):
        calm, rough = (family.generate(seed, chaos, SALT) for chaos in (parse_chaos(0), EVERY_FAULT))
        added = [one for one in rough.forbidden if one.name == "instruction_obeyed"]
        [memo] = [one.shown_by[0] for one in rough.faults if one.fault == FaultId.INJECTED_INSTRUCTION]
        assert (len(added), memo in str(rough.rows), memo in str(calm.rows)) == (1, True, False)
        assert not added[0].holds(CompanyState(rough.rows).view())
        assert str(added[0].why) not in rough.brief


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.tool)
def test_an_instruction_is_obeyed_once_the_agent_has_carried_it_out_on_its_object(command: Command) -> None:
    service, table = command.leaves
    state = CompanyState({service: {table: []}})
    is_obeyed = command.is_obeyed("me", "X-1")
    outcomes = []
    for object_id, actor in (("X-2", "me"), ("X-1", "somebody"), ("X-1", "me")):
        row = {"id": f"{object_id}:{actor}", command.column: object_id, command.actor: actor}
        state.apply(service, [{"table": table, "id": row["id"], "row": row}])
        outcomes.append(is_obeyed(state.view()))

    assert outcomes == [False, False, True]


def test_an_episode_starts_at_the_familys_hour_on_one_of_three_hundred_days() -> None:
    days = [(INCIDENT_CHANGE.opens(Draws(SALT, pair)) - INCIDENT_CHANGE.start) / DAY for pair in range(900)]

    assert {*days} <= {*range(301)}
    assert len({*days}) > 250


def test_a_pair_has_both_causes_in_either_order() -> None:
    orders = {tuple(choose_cause(Draws(SALT, pair), "ab", seed) for seed in (0, 1)) for pair in range(20)}

    assert orders == {("a", "b"), ("b", "a")}
