"""Families differ in their tool sequences, and so do the seeds of a family."""

import pytest

from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import load_scenarios
from tests.approval_tasks import APPROVAL_TASKS
from tests.families import EVERY_SHAPE
from tests.scenarios.play import play
from tests.sizes import size

from .conftest import SEEDS, Patient
from .shapes import APART, DISTINCT, OF_SEEDS, apart

pytestmark = pytest.mark.proof

#: Families built on one template, which are not expected to be far from each other.
ALIKE = set(APPROVAL_TASKS)
#: One in this many other families tries to solve a task.
EVERY = size(8, 1)


def test_any_two_families_are_far_apart(solved):
    # One of each pair, because both are often solved in the same way.
    found = apart(
        {name: [one.tools for one in solved(name, range(0, SEEDS, 2))] for name in load_scenarios()}
    )
    near = {pair: round(far, 2) for pair, far in found.items() if far < APART and not ALIKE.issuperset(pair)}

    assert near == {}


@pytest.mark.parametrize("name", sorted(set(load_scenarios()) - ALIKE))
def test_the_seeds_of_a_family_are_solved_in_different_ways(solved, name):
    assert len({one.tools for one in solved(name)}) >= min(DISTINCT, DISTINCT * SEEDS // OF_SEEDS + 2)


@pytest.mark.parametrize("name", EVERY_SHAPE)
def test_oracles_of_other_families_do_not_solve_a_scenario(url, name):
    others = [other for other in load_scenarios().values() if other.name != name]
    strangers = [Oracle(other) for other in others[len(name) % EVERY :: EVERY]]

    assert [
        stranger for stranger in strangers if play(url, load_scenarios()[name], 0, Patient(stranger)).success
    ] == []
