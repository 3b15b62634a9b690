"""The common suite on stacks without Docker, of one and of several processes of each kind."""

from collections.abc import Iterator

import pytest

from tests.deployment_cases import *  # noqa: F403 - the tests
from tests.deployment_cases import Deployment

from .conftest import closing_home


@pytest.fixture(scope="module", params=[1, 3], ids="{} of each".format)
def deployment(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    with closing_home(tmp_path_factory.mktemp("deployment")) as command_line:
        started = command_line("up", "--detach", "--replicas", str(request.param))
        assert started.returncode == 0, started.stderr
        yield Deployment(command_line.status.url)
