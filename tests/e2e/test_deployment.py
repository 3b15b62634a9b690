"""The common suite on Compose, of one and of two containers of each process."""

import pytest

from tests.deployment_cases import *  # noqa: F403 - the tests
from tests.deployment_cases import Deployment

from .compose import Stack
from .test_replicas import pairs as pairs


@pytest.fixture(params=["stack", "pairs"])
def deployment(request: pytest.FixtureRequest) -> Deployment:
    stack: Stack = request.getfixturevalue(request.param)
    return Deployment(stack.url)
