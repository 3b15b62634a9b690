"""The frame of every family: its day, its pairs, and what chaos may change."""

import pytest

from companyos.chaos import cost_bound, parse_chaos
from companyos.family import Family, choose_cause
from companyos.scenario import horizon, load_scenarios
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY
from scenarios.incident_change.scenario import SCENARIO as INCIDENT_CHANGE
from tests.scenarios.conftest import SALT

FAMILIES = {name: one for name, one in load_scenarios().items() if isinstance(one, Family)}


@pytest.mark.parametrize("name", FAMILIES)
def test_chaos_adds_the_steps_that_faults_can_cost_and_changes_nothing_else(name: str) -> None:
    family, chaos = FAMILIES[name], parse_chaos(5)

    calm, rough = (family.generate(4, level, SALT, "small") for level in (parse_chaos(0), chaos))

    more = cost_bound(chaos, business=False)
    assert (calm.oracle_steps, rough.oracle_steps) == (family.oracle_length, family.oracle_length + more)
    assert rough.max_steps == horizon(rough.oracle_steps) > calm.max_steps == horizon(calm.oracle_steps)
    assert (rough.rows, rough.brief, rough.faults) == (calm.rows, calm.brief, ())
    assert family.open_loop_plan(rough) == family.open_loop_plan(calm)


def test_an_episode_starts_at_the_familys_hour_on_one_of_three_hundred_days() -> None:
    days = [(INCIDENT_CHANGE.opens(Draws(SALT, pair)) - INCIDENT_CHANGE.start) / DAY for pair in range(900)]

    assert {*days} <= {*range(301)}
    assert len({*days}) > 250


def test_a_pair_has_both_causes_in_either_order() -> None:
    orders = {tuple(choose_cause(Draws(SALT, pair), "ab", seed) for seed in (0, 1)) for pair in range(20)}

    assert orders == {("a", "b"), ("b", "a")}
