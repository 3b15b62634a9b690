"""The common suite on Compose; that of two containers of each process is with their other tests."""

import pytest

from tests.deployment_cases import *  # noqa: F403 - the tests
from tests.deployment_cases import Deployment

from .compose import Stack


@pytest.fixture
def deployment(stack: Stack) -> Deployment:
    return Deployment(stack.url)
