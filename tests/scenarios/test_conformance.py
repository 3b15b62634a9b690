"""The conformance of every scenario's instances, and the additional claims about approval tasks."""

import pytest

from companyos.evaluation.conformance import Sample, check_instances
from companyos.sdk.chaos import Layer, parse_chaos
from companyos.sdk.scenario import find
from tests.families import SOME
from tests.sizes import size

from .conftest import EVERY_LEVEL, instance_of

#: Milestones of the original with their sizes, which an episode can earn before it succeeds.
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
    "form_read": 1.0,
    "ticket_returned": 3.0,
    "list_read": 1.0,
}
#: The step budgets of the original.
ORIGINAL_STEPS = {
    "vendor_onboarding": 20,
    "expense_report": 18,
    "bug_escalation": 18,
    "license_renewal": 16,
    "handbook_update": 16,
}


@pytest.mark.proof
def test_every_scenario_keeps_what_all_of_them_promise(scenario):
    sample = Sample(
        seeds=size(4, 200), closely=size(2, 8), levels=EVERY_LEVEL, elsewhere=scenario.name in SOME
    )

    results = list(check_instances(scenario, sample))

    assert [verdict for verdict in results if not verdict.passed] == []


def test_the_task_is_the_same_in_a_company_of_any_size(scenario):
    small, large = instance_of(scenario, 4, 1, "small"), instance_of(scenario, 4, 1, "large")

    assert small.cause == large.cause
    assert small.max_steps == large.max_steps


def test_the_brief_of_an_approval_task_names_its_ticket(approval_task):
    instance = instance_of(approval_task, 4)

    assert f"{instance.persona.name} ({instance.persona.id})" in instance.brief
    assert instance.facts.ticket["id"] in instance.brief


def test_the_milestones_of_approval_tasks_are_those_of_the_table(approval_task):
    for seed in range(12):
        milestones = instance_of(approval_task, seed, 1).milestones

        assert all(SIZES[one.name] == one.size for one in milestones)


@pytest.mark.parametrize("level", EVERY_LEVEL)
@pytest.mark.parametrize("name", ORIGINAL_STEPS)
def test_the_first_scenarios_have_no_fewer_steps_than_the_original_gave(name, level):
    for seed in range(size(2, 10)):
        assert instance_of(find(name), seed, level).max_steps >= ORIGINAL_STEPS[name]


def test_the_task_of_an_approval_is_the_same_in_a_company_of_any_size(approval_task):
    small, large = instance_of(approval_task, 4, 1, "small"), instance_of(approval_task, 4, 1, "large")

    assert small.facts.value == large.facts.value
    assert small.facts.metric["value"] == large.facts.metric["value"]
    assert small.facts.measurement.failures == large.facts.measurement.failures
    assert small.facts.objections == large.facts.objections


@pytest.mark.parametrize("level", size((3,), EVERY_LEVEL))
def test_every_business_fault_that_a_scenario_offers_comes_up_in_every_approval_task(approval_task, level):
    drawn = [instance_of(approval_task, 2 * pair, level) for pair in range(1, 60)]

    known = {str(fault) for fault in parse_chaos(level).of(Layer.BUSINESS)}
    missing = {fault for instance in drawn for fault in instance.not_offered}
    assert {str(injected.fault) for instance in drawn for injected in instance.faults} == known - missing


def test_every_outcome_of_a_fault_occurs_in_every_approval_task(approval_task):
    every = [instance_of(approval_task, 2 * pair, 3).facts for pair in range(1, 60)]

    assert {len(facts.measurement.failures) for facts in every} == {0, 1}
    assert {len(facts.objections) for facts in every} == {0, 1, 2}
    assert {bool(facts.wrong_record) for facts in every} == {True, False}
    assert {"subject" in facts.empty_fields for facts in every} == {True, False}
    assert {len(facts.blockers) for facts in every} >= {1, 2}
