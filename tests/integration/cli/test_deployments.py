"""The common suite on stacks without Docker, of one and of several processes of each kind."""

import pytest

from tests.deployment_cases import *  # noqa: F403 - the tests
from tests.deployment_cases import Deployment

from .conftest import CommandLine


@pytest.fixture(scope="module", params=["running", "pair"], ids=["1 of each", "2 of each"])
def deployment(request: pytest.FixtureRequest) -> Deployment:
    stack: CommandLine = request.getfixturevalue(request.param)
    return Deployment(stack.status.url)
