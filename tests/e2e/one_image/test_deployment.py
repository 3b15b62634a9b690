"""The common suite on the image that is a whole stack."""

import pytest

from tests.deployment_cases import *  # noqa: F403 - the tests
from tests.deployment_cases import Deployment

from .container import Container


@pytest.fixture
def deployment(container: Container) -> Deployment:
    return Deployment(container.url, container.agent_url)
