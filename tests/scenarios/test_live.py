"""Scenarios played on a running stack: solved by those who look, and by nobody else."""

import pytest

from companyos.agents import BlindPlan
from companyos.certify import certify
from companyos.chaos import parse_chaos

from .conftest import LEVELS, SALT, instance_of
from .play import carry_out, play, solve, without_finish


async def test_the_first_seeds_of_every_scenario_are_certified(door):
    told = []

    report = await certify(door, seeds=[0, 1], progress=told.append)

    assert report["faults"] == []
    assert told[-1].finished == told[-1].planned == len(told)


@pytest.mark.parametrize("level", LEVELS)
def test_twins_begin_with_the_same_observation(door, scenario, level):
    first, second = (play(door, scenario, seed, BlindPlan([]), chaos=level).first for seed in (4, 5))

    assert first["observation"] == second["observation"]


@pytest.mark.parametrize("seed", [6, 7])
def test_the_oracle_copes_with_everything_chaos_can_do(door, scenario, seed):
    worst = {
        "missing_fields": {"p": 1},
        "stale": {"p": 1, "B": 1},
        "absence": {"p": 1},
        "rejection": {"p": 1, "B": 2},
        "call_failure": {"p": 1, "B": 1, "F": 3},
    }

    episode = solve(door, scenario, seed, chaos=worst)

    assert episode.success, episode.grade
    assert episode.grade["step_count"] <= scenario.generate(seed, parse_chaos(worst), SALT).oracle_steps


@pytest.mark.parametrize("seed", [2, 3])
def test_the_oracle_earns_more_than_anything_without_success_can(door, scenario, seed):
    assert solve(door, scenario, seed).grade["episode_return"] > 11.0


def test_carrying_out_both_twins_plans_one_after_the_other_does_not_solve_both(door, scenario):
    plans = [scenario.blind_plan(instance_of(scenario, seed)) for seed in (8, 9)]

    for first, second in (plans, plans[::-1]):
        both = [*without_finish(first), *without_finish(second)]
        solved = [carry_out(door, scenario, seed, both).success for seed in (8, 9)]
        assert not all(solved)


def test_a_log_of_another_seed_solves_nothing(door, scenario):
    log = [record["action"] for record in solve(door, scenario, 10).trace[1:]]

    assert not any(carry_out(door, scenario, seed, log).success for seed in (12, 14, 16))
