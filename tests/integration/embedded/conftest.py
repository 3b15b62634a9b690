"""Databases that begin with nothing."""

import pytest

from companyos.embedded.stores.prepared import VARIABLE


@pytest.fixture(autouse=True)
def unprepared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a new home create its cluster, as on a machine without a prepared one."""
    monkeypatch.delenv(VARIABLE, raising=False)
