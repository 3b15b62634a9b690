"""A scripted trainer API, over HTTP."""

from collections.abc import AsyncIterator

import pytest

from .scripted_trainer import Doors, DoorsWithScripts, ScriptedTrainer, scripted_trainer


@pytest.fixture
async def trainer() -> AsyncIterator[ScriptedTrainer]:
    async with scripted_trainer(Doors(), DoorsWithScripts()) as running:
        yield running
