"""Drawn instances, shared by the tests of this folder."""

import pytest

from companyos.scenario import Instance

from ..conftest import instance_of
from .drawn_piles import SCENARIO

SEEDS = range(100)


@pytest.fixture(scope="package")
def instances() -> list[Instance]:
    return [instance_of(SCENARIO, seed) for seed in SEEDS]
