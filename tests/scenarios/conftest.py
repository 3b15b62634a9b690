"""What conformance is checked on: each scenario, some seeds, both chaos levels, and a running stack to play on."""

import pytest

from companyos.chaos import parse_chaos
from companyos.scenario import Instance, Scenario, load_scenarios

SALT = "companyos-public"
LEVELS = (0, 1)


@pytest.fixture(params=sorted(load_scenarios()))
def scenario(request: pytest.FixtureRequest) -> Scenario:
    """Each scenario there is."""
    return load_scenarios()[request.param]


def instance_of(scenario: Scenario, seed: int, level: int = 0, size: str | int = "default") -> Instance:
    """Return an instance as the server makes it."""
    return scenario.generate(seed, parse_chaos(level), SALT, size)
