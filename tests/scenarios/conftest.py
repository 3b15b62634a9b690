"""Fixtures of the tests of scenarios: families, seeds, chaos levels, and a running stack."""

import os
from collections.abc import Callable, Iterator

import pytest

from companyos.sdk.chaos import parse_chaos
from companyos.sdk.draws import Coordinate, Draws
from companyos.sdk.scenario import Instance, Scenario, load_scenarios
from tests.families import EVERY_SHAPE, SOME, SOME_APPROVAL_TASKS
from tests.live_services import databases_in
from tests.sizes import size

from .stack import Stack, running_in_process

SALT = "companyos-public"
LEVELS = (0, 1)
#: Faults that apply to every scenario, each with certainty.
WORST = {
    "faults": {
        "biz.missing_field": {"p": 1},
        "biz.stale_metric": {"p": 1, "params": {"outcome": ["fail_once"]}},
        "biz.ooo_approver": {"p": 1, "params": {"depth": 3}},
        "biz.random_rejection": {"p": 1, "B": 2},
        "svc.http_5xx": {"p": 1, "F": 3},
    },
    "limits": {"service": 3},
}
EVERY_LEVEL = size((0, 3, 5), (0, 1, 2, 3, 4, 5))


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The product, in this process.

    Orchestrators on one database collect each other's garbage at their own services, so it has one of its own.
    """
    with (
        databases_in(tmp_path_factory.mktemp("stack")) as databases,
        running_in_process(databases) as running,
    ):
        yield running


@pytest.fixture(scope="session")
def url(request: pytest.FixtureRequest) -> str:
    """The trainer API of the stack in this process, or of the one COMPANYOS_SCENARIOS_URL names."""
    deployed = os.environ.get("COMPANYOS_SCENARIOS_URL")
    return deployed.rstrip("/") if deployed else str(request.getfixturevalue("stack").url)


@pytest.fixture(params=sorted(load_scenarios()))
def scenario(request: pytest.FixtureRequest) -> Scenario:
    """Each scenario there is."""
    return load_scenarios()[request.param]


@pytest.fixture(params=SOME)
def some_scenario(request: pytest.FixtureRequest) -> Scenario:
    """Some scenarios of every shape, all of them in a proof."""
    return load_scenarios()[request.param]


@pytest.fixture(params=EVERY_SHAPE)
def family(request: pytest.FixtureRequest) -> Scenario:
    """One family of each template, all of them in a proof."""
    return load_scenarios()[request.param]


@pytest.fixture(params=SOME_APPROVAL_TASKS)
def approval_task(request: pytest.FixtureRequest) -> Scenario:
    """Each scenario made from the template for approval tasks."""
    return load_scenarios()[request.param]


@pytest.fixture
def draw_alike(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that makes all integers of one name equal unless they are drawn again."""
    integer = Draws.integer

    def draw_alike(equal: str) -> None:
        def draw_integer(draws: Draws, name: str, low: int, high: int, *coordinates: Coordinate) -> int:
            if name == equal and "again" not in coordinates:
                return low
            return integer(draws, name, low, high, *coordinates)

        monkeypatch.setattr(Draws, "integer", draw_integer)

    return draw_alike


def instance_of(scenario: Scenario, seed: int, level: int = 0, size: str | int = "default") -> Instance:
    """Return an instance as the server makes it."""
    return scenario.generate(seed, parse_chaos(level), SALT, size)
