"""A scripted trainer API, over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from companyos.sdk.scenario_sources import SETTING

from .scripted_trainer import Doors, OtherDoors, ScriptedTrainer, scripted_trainer


@pytest.fixture
async def trainer() -> AsyncIterator[ScriptedTrainer]:
    async with scripted_trainer(Doors(), OtherDoors()) as running:
        yield running


@pytest.fixture
def doors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scenario of the scripted trainer, found as any scenario of an author is."""
    folder = tmp_path / "given" / "doors"
    folder.mkdir(parents=True)
    told = "from tests.unit.evaluation.scripted_trainer import Doors\n\nSCENARIO = Doors()\n"
    (folder / "scenario.py").write_text(told, encoding="utf-8")
    monkeypatch.setenv(SETTING, str(folder))
