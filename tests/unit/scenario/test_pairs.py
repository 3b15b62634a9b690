"""Counterfactual pairs: the same faults at every level, and nothing at reset that tells them apart."""

import pytest

from companyos.chaos import FaultPlan, Reach, parse_chaos
from companyos.scenario import load_scenarios

SCENARIOS = sorted(load_scenarios())
LEVELS = range(6)
SALT = "pairs"


def generated(name, seed, level):
    return load_scenarios()[name].generate(seed, parse_chaos(level), SALT)


def places(instance):
    goal = instance.goal
    return [
        ("ticketdesk", "get_ticket", goal["ticket_id"]),
        ("ticketdesk", "verify_ticket", goal["ticket_id"]),
        ("datahub", "refresh_data", goal["metric_id"]),
        ("datahub", "query_metric", goal["metric_id"]),
        ("approvalflow", "get_policy", goal["type_id"]),
        ("approvalflow", "submit_approval", goal["ticket_id"]),
    ]


def met(name, seed, level):
    instance, chaos = generated(name, seed, level), parse_chaos(level)
    plan = FaultPlan.of_seed(SALT, name, instance.version, seed, chaos)
    events = [("ticket.verified", goal, "approvalflow") for goal in (instance.goal["ticket_id"],)]
    return (
        [plan.incidents(place, tuple(Reach)) for place in places(instance)],
        [plan.event(*event, landed=()) for event in events],
        plan.armed,
    )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_both_seeds_of_a_pair_meet_the_same_faults(name, level):
    for pair in range(0, 40, 2):
        assert met(name, pair, level) == met(name, pair + 1, level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_the_horizon_is_the_same_for_every_seed_of_a_level(name, level):
    horizons = {
        (instance.max_steps, instance.oracle_steps)
        for instance in (generated(name, seed, level) for seed in range(30))
    }

    assert len(horizons) == 1


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_no_seed_needs_more_steps_than_its_level_allows(name, level):
    scenario, chaos = load_scenarios()[name], parse_chaos(level)
    calm = scenario.generate(0, parse_chaos(0), SALT).oracle_steps
    for seed in range(0, 60, 2):
        instance = scenario.generate(seed, chaos, SALT)
        business = sum(injected.cost for injected in instance.faults)
        assert calm + business <= instance.oracle_steps


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_seed_is_about_the_same_company_at_every_level(name):
    facts = ("cause", "persona", "ticket_id", "subject", "metric_id", "stale_value", "fresh_value")
    for seed in range(2, 22):
        calm = generated(name, seed, 0)
        people = [row["id"] for row in calm.rows["datahub"]["people"]]
        for level in LEVELS:
            harsh = generated(name, seed, level)
            assert {fact: harsh.goal[fact] for fact in facts} == {fact: calm.goal[fact] for fact in facts}
            assert harsh.start == calm.start
            assert [row["id"] for row in harsh.rows["datahub"]["people"]][:12] == people[:12]


@pytest.mark.parametrize("name", SCENARIOS)
def test_faults_on_the_way_leave_the_company_as_it_is(name):
    on_the_way = {"faults": {"svc.http_5xx": {"p": 0.3}, "evt.delay": {"p": 0.3}}}
    for seed in range(2, 12):
        harsh = load_scenarios()[name].generate(seed, parse_chaos(on_the_way), SALT)
        assert harsh.rows == generated(name, seed, 0).rows
