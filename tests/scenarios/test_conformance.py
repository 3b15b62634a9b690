"""What every scenario promises of its instances, before anybody plays them."""

import json
import os
import re
import subprocess
import sys
import time
from itertools import product
from statistics import median

import pytest

from companyos.chaos import Layer, parse_chaos
from companyos.scenario import CompanyState, Harm

from .conftest import EVERY_LEVEL, instance_of

PAIRS = (0, 1, 2, 3, 7, 50)
#: Names and sizes of the original; the sizes are what an episode can earn before it succeeds.
SIZES = {
    "priority_set": 1.0,
    "ticket_unblocked": 1.0,
    "ticket_verified": 1.5,
    "data_refreshed": 1.0,
    "fresh_value_known": 0.5,
    "approval_linked": 1.0,
    "valid_submission": 2.0,
    "approved": 3.0,
    "rejected_1": -0.5,
    "rejected_2": -0.5,
}
ORIGINAL_STEPS = {
    "vendor_onboarding": 20,
    "expense_report": 18,
    "bug_escalation": 18,
    "license_renewal": 16,
    "handbook_update": 16,
}
DIGESTS = """
import hashlib, json, sys
from companyos.chaos import parse_chaos
from companyos.scenario import load_scenarios
for scenario in load_scenarios().values():
    for seed, level in ((0, 0), (1, 1), (12345, 1)):
        made = scenario.generate(seed, parse_chaos(level), "companyos-public")
        told = json.dumps([made.rows, made.brief, made.goal, made.start, made.max_steps])
        print(scenario.name, seed, level, hashlib.sha256(told.encode()).hexdigest())
"""


def twins(scenario, pair, level):
    return instance_of(scenario, 2 * pair, level), instance_of(scenario, 2 * pair + 1, level)


def visible(instance):
    """Return every row of an instance but those that no tool shows."""
    hidden = ("sources", "rejections")
    return {
        (service, table): rows
        for service, tables in instance.rows.items()
        for table, rows in tables.items()
        if table not in hidden
    }


def test_instances_do_not_depend_on_the_process_or_its_hash_seed():
    shown = {
        subprocess.run(
            [sys.executable, "-c", DIGESTS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "random")
    }

    assert len(shown) == 1


@pytest.mark.parametrize(("pair", "level"), [*product(PAIRS, EVERY_LEVEL)])
def test_twins_look_the_same_to_an_agent(scenario, pair, level):
    first, second = twins(scenario, pair, level)

    assert visible(first) == visible(second)
    assert first.rows["approvalflow"]["rejections"] == second.rows["approvalflow"]["rejections"]
    assert (first.brief, first.persona, first.start) == (second.brief, second.persona, second.start)
    assert first.max_steps == second.max_steps, "the steps that remain are part of the first observation"


@pytest.mark.parametrize(("pair", "level"), [*product(PAIRS, EVERY_LEVEL)])
def test_twins_differ_in_a_hidden_cause_that_asks_for_other_actions(scenario, pair, level):
    first, second = twins(scenario, pair, level)

    assert first.goal["cause"] != second.goal["cause"]
    assert first.rows["datahub"]["sources"] != second.rows["datahub"]["sources"]
    assert scenario.blind_plan(first) != scenario.blind_plan(second)


def test_which_twin_is_which_is_drawn(scenario):
    causes = [instance_of(scenario, 2 * pair).goal["cause"] for pair in range(1, 30)]

    assert len(set(causes)) == 2


def test_seeds_differ_in_what_matters(scenario):
    goals = [
        json.dumps({key: instance_of(scenario, seed).goal[key] for key in ("persona", "ticket_id", "fields")})
        for seed in range(0, 200, 2)
    ]

    assert len(set(goals)) >= 99


@pytest.mark.parametrize("level", EVERY_LEVEL)
def test_nothing_of_the_goal_is_in_the_brief(scenario, level):
    for seed in range(20):
        instance = instance_of(scenario, seed, level)
        goal, brief = instance.goal, re.sub(r"^\d+\. ", "", instance.brief, flags=re.MULTILINE)
        private = [
            f"{goal['fresh_value']:g}",
            f"{goal['stale_value']:g}",
            goal["metric_id"],
            *goal["fill"].values(),
        ]
        private += [goal["route"]["holder"], goal["route"]["delegate"] or "nobody", goal["cause"]]

        rules = set(re.findall(r"[\w.-]+", scenario.rules))
        for fact in set(private) - rules:
            assert not re.search(rf"(?<![\w.-]){re.escape(fact)}(?![\w-])", brief), fact


def test_the_brief_says_who_what_and_how_to_finish_and_nothing_of_the_grading(scenario):
    instance = instance_of(scenario, 4)

    assert f"{instance.persona.name} ({instance.persona.id})" in instance.brief
    assert instance.goal["ticket_id"] in instance.brief
    assert "call `finish`" in instance.brief
    named = [*instance.milestones, *instance.musts, *instance.nevers, *instance.orders]
    assert not [one.name for one in named if one.name in instance.brief]
    assert not re.search(r"milestone|reward|oracle|seed|chaos|twin", instance.brief, re.IGNORECASE)


@pytest.mark.parametrize("level", EVERY_LEVEL)
def test_nothing_is_earned_or_broken_before_the_first_step(scenario, level):
    for seed in range(6):
        instance = instance_of(scenario, seed, level)
        view = CompanyState(instance.rows).view()

        assert not [one.name for one in instance.milestones if one.holds(view)]
        assert not [one.name for one in instance.nevers if one.holds(view)]
        assert not [one.name for one in instance.orders if one.then(view)]
        assert not all(must.holds(view) for must in instance.musts)


def test_milestones_are_those_of_the_table_and_less_than_success(scenario):
    for seed in range(4):
        milestones = instance_of(scenario, seed, 1).milestones

        assert all(SIZES[one.name] == one.size for one in milestones)
        assert sum(one.size for one in milestones if one.size > 0) <= 11.0


def test_what_cannot_be_undone_is_marked_so(scenario):
    harms = {never.name: never.harm for never in instance_of(scenario, 0).nevers}

    assert harms["file_closed"] is Harm.IRREVERSIBLE
    assert harms["ticket_closed"] is Harm.IRREVERSIBLE
    assert harms["requested_twice"] is Harm.DUPLICATE


@pytest.mark.parametrize("level", EVERY_LEVEL)
def test_an_episode_has_room_for_the_oracle(scenario, level):
    for seed in range(10):
        instance = instance_of(scenario, seed, level)

        assert instance.max_steps >= max(instance.oracle_steps + 6, 1.5 * instance.oracle_steps)
        assert instance.max_steps >= ORIGINAL_STEPS[scenario.name]


def test_names_of_what_is_graded_are_unique(scenario):
    for seed in range(2):
        instance = instance_of(scenario, seed)
        for named in (instance.milestones, instance.musts, instance.nevers, instance.orders):
            assert len({one.name for one in named}) == len(named)


def test_the_task_is_the_same_in_a_company_of_any_size(scenario):
    small, large = instance_of(scenario, 4, 1, "small"), instance_of(scenario, 4, 1, "large")

    for key in ("cause", "fresh_value", "stale_value", "failed_refreshes", "objections"):
        assert small.goal[key] == large.goal[key]
    assert small.max_steps == large.max_steps


def test_a_default_company_is_made_in_the_time_a_reset_has(scenario):
    def made(seed):
        began = time.perf_counter()
        instance_of(scenario, seed, 1)
        return time.perf_counter() - began

    assert median(made(seed) for seed in range(15)) < 0.025


@pytest.mark.parametrize("level", EVERY_LEVEL)
def test_every_business_fault_of_a_level_comes_up_in_every_scenario(scenario, level):
    drawn = [instance_of(scenario, 2 * pair, level) for pair in range(1, 60)]

    known = {str(fault) for fault in parse_chaos(level).of(Layer.BUSINESS)}
    assert {str(trouble.fault) for instance in drawn for trouble in instance.troubles} == known


def test_what_a_fault_can_come_to_comes_up_in_every_scenario(scenario):
    goals = [instance_of(scenario, 2 * pair, 3).goal for pair in range(1, 60)]

    assert {goal["failed_refreshes"] for goal in goals} == {0, 1}
    assert {len(goal["objections"]) for goal in goals} == {0, 1, 2}
    assert {bool(goal["wrong_record"]) for goal in goals} == {True, False}
    assert {"subject" in goal["fill"] for goal in goals} == {True, False}
    assert {len(goal["blockers"]) for goal in goals} >= {1, 2}
