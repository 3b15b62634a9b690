"""A running stack to hold to its contract, and a virtual environment with OpenEnv's own clients in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from .openenv_venv import made_once

ROOT = Path(__file__).parents[2]
START_TIMEOUT_S = 120


@pytest.fixture(scope="session")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The trainer door of a whole stack: of its own, or of the deployment COMPANYOS_CONTRACT_URL names."""
    if url := os.environ.get("COMPANYOS_CONTRACT_URL"):
        yield url.rstrip("/")
        return
    home = tmp_path_factory.mktemp("stack")
    _companyos("up", "--detach", "--home", str(home))
    try:
        yield json.loads(_companyos("status", "--json", "--home", str(home)))["url"]
    finally:
        _companyos("down", "--force", "--home", str(home))


@pytest.fixture
async def http(door: str) -> AsyncIterator[httpx.AsyncClient]:
    """A plain HTTP client of the door."""
    async with httpx.AsyncClient(base_url=door, timeout=30) as client:
        yield client


@pytest.fixture(scope="session")
def openenv_python() -> Path:
    """The interpreter of a virtual environment that has OpenEnv, and nothing of ours."""
    return made_once()


def _companyos(*arguments: str) -> str:
    command = [sys.executable, "-m", "companyos", *arguments]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=START_TIMEOUT_S)
    if ran.returncode:
        pytest.fail(f"{' '.join(command[2:])} failed:\n{ran.stdout}{ran.stderr}", pytrace=False)
    return ran.stdout
