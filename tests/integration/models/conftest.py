"""A running stack, a scripted endpoint, and the small model where its environment is built."""

import os
from collections.abc import AsyncIterator, Iterator

import pytest

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from examples.small_model import is_built, serving
from tests.scripted_endpoint import Endpoint, scripted_endpoint


@pytest.fixture(scope="session")
def stack_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The trainer API of a stack: of its own, or of the one COMPANYOS_SCENARIOS_URL names."""
    if url := os.environ.get("COMPANYOS_SCENARIOS_URL"):
        yield url.rstrip("/")
        return
    with running_stack(Home.at(tmp_path_factory.mktemp("stack"))) as stack:
        yield stack.url


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    async with scripted_endpoint() as running:
        yield running


@pytest.fixture(scope="session")
def small_model() -> Iterator[str]:
    """The endpoint of the small model."""
    if not is_built():
        pytest.skip("the small model is not installed (make model)")
    with serving() as url:
        yield url
