"""Counterfactual pairs: the same faults at every level, and nothing at reset that tells them apart."""

from collections.abc import Mapping
from typing import Any

import pytest

from companyos.cli.chaos import objects_of
from companyos.sdk.approval_task import ApprovalTask
from companyos.sdk.chaos import FaultPlan, Reach, parse_chaos
from companyos.sdk.scenario import Instance, load_scenarios
from tests.sizes import size

pytestmark = pytest.mark.proof

SCENARIOS = sorted(load_scenarios())
LEVELS = size((0, 5), range(6))
SALT = "pairs"


def generated(name: str, seed: int, level: int) -> Instance:
    return load_scenarios()[name].generate(seed, parse_chaos(level), SALT)


def objects(instance: Instance) -> list[str]:
    """Return what the goal names of what there is at the start, and who the agent is."""
    return sorted({one for ids in objects_of(instance).values() for one in ids})


def places(instance: Instance) -> list[tuple[str, str, str]]:
    """Return the calls of the scenario's tools, or of all tools if it names none, about the objects of an instance."""
    scenarios, named = load_scenarios(), objects(instance)
    every = sorted({tool for scenario in scenarios.values() for tool in scenario.tools})
    parts = [tool.partition("_") for tool in scenarios[instance.scenario].tools or every]
    return [(service, name, one) for service, _, name in parts if name for one in named]


def met(instance: Instance, level: int, around: Instance) -> tuple[Any, ...]:
    """Return the faults of an instance, on the way to what the goal `around` names and before it begins."""
    named = objects(around)
    plan = FaultPlan.of_seed(SALT, instance.scenario, instance.version, instance.seed, parse_chaos(level))
    return (
        [plan.incidents(place, tuple(Reach)) for place in places(around)],
        [plan.event("ticket.verified", one, "approvalflow", landed=()) for one in named],
        plan.armed,
        [one.fault for one in instance.faults],
        instance.not_offered,
    )


def lasting(instance: Instance) -> Mapping[str, Any]:
    """Return the facts of a goal that are the same at every level."""
    if isinstance(load_scenarios()[instance.scenario], ApprovalTask):
        facts = instance.facts
        return {"persona": facts.persona.id, "ticket": facts.ticket["id"], "fresh": facts.value}
    return {"brief": instance.brief, "private": instance.private}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_both_seeds_of_a_pair_meet_the_same_faults(name, level):
    for pair in range(0, size(4, 40), 2):
        first, second = (generated(name, seed, level) for seed in (pair, pair + 1))
        assert places(first)
        assert met(first, level, around=first) == met(second, level, around=first)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_the_horizon_is_the_same_for_every_seed_of_a_level(name, level):
    horizons = {
        (instance.max_steps, instance.oracle_steps)
        for instance in (generated(name, seed, level) for seed in range(size(4, 30)))
    }

    assert len(horizons) == 1


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_seeds_need_no_more_steps_than_their_level_allows(name, level):
    scenario, chaos = load_scenarios()[name], parse_chaos(level)
    calm = scenario.generate(0, parse_chaos(0), SALT).oracle_steps
    for seed in range(0, size(4, 60), 2):
        instance = scenario.generate(seed, chaos, SALT)
        business = sum(injected.cost for injected in instance.faults)
        assert calm + business <= instance.oracle_steps


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_seed_is_about_the_same_company_at_every_level(name):
    for seed in range(2, size(4, 22)):
        calm = generated(name, seed, 0)
        people = [row["id"] for row in calm.rows["datahub"]["people"]]
        for level in LEVELS:
            harsh = generated(name, seed, level)
            assert lasting(harsh) == lasting(calm)
            assert (harsh.persona, harsh.start) == (calm.persona, calm.start)
            assert [row["id"] for row in harsh.rows["datahub"]["people"]][:12] == people[:12]
            assert harsh.faults or harsh.rows == calm.rows


@pytest.mark.parametrize("name", SCENARIOS)
def test_faults_on_the_way_leave_the_company_as_it_is(name):
    on_the_way = {"faults": {"svc.http_5xx": {"p": 0.3}, "evt.delay": {"p": 0.3}}}
    for seed in range(2, size(5, 12)):
        harsh = load_scenarios()[name].generate(seed, parse_chaos(on_the_way), SALT)
        assert harsh.rows == generated(name, seed, 0).rows
