"""The three services on databases of their own, and two orchestrators over them."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from tests.live_services import databases_in

from .stack import Stack, serving_all


@pytest.fixture(scope="session")
async def stack(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stack]:
    """Databases of their own: what is counted here must not be somebody else's."""
    with databases_in(tmp_path_factory.mktemp("worlds")) as databases:
        databases.migrate()
        async with AsyncExitStack() as running:
            yield await serving_all(databases, running)
