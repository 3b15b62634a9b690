"""Scenarios on a running stack: solved by agents that read observations, and by no others."""

from math import fsum

import pytest

from companyos.evaluation.agents import OpenLoopPlan, Oracle
from companyos.evaluation.certify import Certification, certify
from companyos.sdk.chaos import parse_chaos
from tests.families import SOME
from tests.sizes import size, whole_proof

from .conftest import SALT, WORST, instance_of
from .play import carry_out, play, solution, solve, without_finish


@whole_proof
async def test_the_first_seeds_of_scenarios_are_certified_and_what_was_played_stays_played(url, tmp_path):
    wanted = Certification(seeds=[0, 1], scenarios=SOME)

    report = await certify(url, None, wanted, tmp_path)

    assert report["faults"] == []
    assert await certify("http://127.0.0.1:9", None, wanted, tmp_path) == report


@pytest.mark.proof
def test_the_first_observation_names_the_tools_that_end_the_task(url, some_scenario):
    text = play(url, some_scenario, 4, OpenLoopPlan([]), tools="scenario").first["observation"]["text"]

    assert "call `finish`" in text
    assert "call `refuse` with a `reason_code`" in text


@whole_proof
@pytest.mark.parametrize("level", range(6))
@pytest.mark.parametrize("seed", [6, 7])
def test_the_tools_a_scenario_can_need_are_all_that_its_oracle_calls(url, scenario, seed, level):
    episode = play(url, scenario, seed, Oracle(scenario), chaos=level, tools="scenario")

    assert episode.success, episode.grade


@pytest.mark.proof
@pytest.mark.parametrize("seed", size([6], [6, 7]))
def test_the_oracle_copes_with_everything_chaos_can_do(url, family, seed):
    episode = solve(url, family, seed, chaos=WORST)

    assert episode.success, episode.grade
    assert episode.grade["step_count"] <= family.generate(seed, parse_chaos(WORST), SALT).oracle_steps


@pytest.mark.parametrize("seed", size([3], [2, 3]))
def test_the_oracle_earns_more_than_anything_without_success_can(url, some_scenario, seed):
    assert solve(url, some_scenario, seed).grade["episode_return"] > 11.0


def test_carrying_out_both_plans_of_a_pair_one_after_the_other_does_not_solve_both(url, some_scenario):
    plans = [solution(url, some_scenario, seed) for seed in (8, 9)]

    for first, second in (plans, plans[::-1]):
        both = [*without_finish(first), *without_finish(second)]
        assert not all(carry_out(url, some_scenario, seed, both).success for seed in (8, 9))


@pytest.mark.proof
def test_a_log_of_another_seed_solves_nothing(url, some_scenario):
    log = [record["action"] for record in solve(url, some_scenario, 10).trace[1:]]

    assert not any(carry_out(url, some_scenario, seed, log).success for seed in size((12,), (12, 14, 16)))


def test_bad_luck_costs_the_seed_profile_alone_and_each_rejection_once(url, approval_task):
    charged, rejections = {}, 0
    for profile in ("seed", "potential", "progress"):
        options = {"chaos": {"faults": {"biz.random_rejection": {"p": 1, "B": 2}}}, "rewards": profile}
        episode = play(url, approval_task, 0, Oracle(approval_task), **options)
        lines = [line for record in episode.trace[1:] for line in record["ledger"]]
        assert round(sum(line["amount"] for line in lines), 2) == episode.grade["episode_return"]
        charged[profile] = [line["amount"] for line in lines if line["name"].startswith("milestone:rejected")]
        rejections = len(rejected(episode))

    assert rejections >= 1
    assert charged == {"seed": [-0.5] * rejections, "potential": [], "progress": []}


def rejected(episode):
    """The ids of the requests that were rejected in an episode."""
    changes = [change for record in episode.trace[1:] for change in record["changes"]]
    requests = [change["row"] for change in changes if change["table"] == "requests"]
    return {row["id"] for row in requests if row["status"] == "rejected"}


def test_under_a_potential_an_episode_earns_what_it_does_without_any_shaping(url, some_scenario):
    instances = (instance_of(some_scenario, seed) for seed in range(2, 20))
    seed = next(one.seed for one in instances if one.feasible and one.milestones)
    by_profile = {
        profile: play(url, some_scenario, seed, Oracle(some_scenario), rewards=profile)
        for profile in ("seed", "potential")
    }
    grade = by_profile["potential"].grade
    unshaped = [one for one in grade["ledger"] if not one["name"].startswith("milestone")]

    assert {one["name"] for one in unshaped} <= {"step", "success", "call:refused"}
    assert grade["episode_return"] == round(fsum(one["amount"] for one in unshaped), 2)
    assert grade["episode_return"] >= 14.5 - 0.1 * grade["step_count"]
    assert by_profile["seed"].grade["episode_return"] > by_profile["potential"].grade["episode_return"]
