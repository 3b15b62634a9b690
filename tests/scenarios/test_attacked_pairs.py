"""A search for attacks says if its pairs hold no infeasible task although the family has some."""

from companyos.evaluation.attacks import Effort, missing_refusals
from companyos.evaluation.conformance.suite import SALT
from companyos.evaluation.scaffold.plain.scenario import SCENARIO
from companyos.sdk.scenario import find


def test_a_family_with_infeasible_tasks_outside_the_pairs_names_the_number_of_pairs_that_has_one():
    hint = missing_refusals(find("data_quality_audit"), Effort(pairs=1, first_held_out=2), SALT)

    assert hint == "data_quality_audit: no task of the seeds 2-3 has to be refused; --pairs 2 adds one."


def test_pairs_with_an_infeasible_task_need_no_hint():
    assert missing_refusals(find("data_quality_audit"), Effort(pairs=4, first_held_out=0), SALT) is None


def test_a_family_whose_tasks_can_all_be_done_needs_no_hint():
    assert missing_refusals(SCENARIO, Effort(pairs=1), SALT) is None
