"""A running stack to hold to its contract, and a virtual environment with OpenEnv's own clients in it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from tests.patience import PATIENCE_S

from .client_venvs import made_once

ELSEWHERE = "COMPANYOS_CONTRACT_URL"


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The home of the stack under test."""
    return Home.at(tmp_path_factory.mktemp("stack"))


@pytest.fixture(scope="session")
def url(home: Home) -> Iterator[str]:
    """The trainer API of a whole stack: of its own, or of the deployment COMPANYOS_CONTRACT_URL names."""
    if deployed := os.environ.get(ELSEWHERE):
        yield deployed.rstrip("/")
        return
    with running_stack(home) as stack:
        yield stack.url


@pytest.fixture
async def http(url: str) -> AsyncIterator[httpx.AsyncClient]:
    """A plain HTTP client of the trainer API."""
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client:
        yield client


@pytest.fixture(scope="session")
def openenv_python() -> Path:
    """The interpreter of a virtual environment that has OpenEnv, and nothing of ours."""
    return made_once()
