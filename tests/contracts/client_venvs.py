"""Virtual environments with released clients of other projects, made once per machine: they are what must work."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sizes import size

OPENENV = "openenv==0.10.*"
SDK1, SDK2, FASTMCP = "mcp==1.*", "mcp==2.*", "fastmcp==4.*"
#: Frameworks that do not show a server's instructions.
LANGCHAIN = "langchain==1.* langchain-openai==1.* langchain-mcp-adapters==0.3.*"
PYDANTIC_AI, SMOLAGENTS = "pydantic-ai-slim[openai,mcp]==2.*", "smolagents[mcp,openai]==1.* mcp==1.*"
DATASETS = "datasets>=4.7"
#: For whole proofs only, since each takes half a gigabyte.
AGENTS_SDK, INSPECT = "openai-agents==0.24.*", "inspect-ai==0.3.285 mcp==2.*"
INSTALL_TIMEOUT_S = 600


def made_once(requirement: str = OPENENV) -> Path:
    """Return the interpreter of the environment with a release, or several; make it if it is not there.

    A machine that cannot install a client cannot say whether it works: the tests fail, they are not skipped.
    """
    home = Path(os.environ.get("COMPANYOS_TEST_CACHE") or Path.home() / ".cache" / "companyos-tests")
    name = re.sub(r"[^a-z0-9.]+", "-", requirement.removesuffix(".*"))
    folder = home / f"{name}-{sys.implementation.cache_tag}"
    home.mkdir(parents=True, exist_ok=True)
    with (home / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            _make(folder, requirement)
    return folder / "bin" / "python"


def _make(folder: Path, requirement: str) -> None:
    python = str(folder / "bin" / "python")
    if uv := shutil.which("uv"):
        _run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder))
        _run(uv, "pip", "install", "--quiet", "--python", python, *requirement.split())
    else:
        _run(sys.executable, "-m", "venv", "--clear", str(folder))
        _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirement.split())
    (folder / "complete").touch()


def _run(*command: str) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S)
    if ran.returncode:
        pytest.fail(
            f"A client could not be installed, so nothing can be said about it.\n"
            f"{' '.join(command)}\n{ran.stdout}{ran.stderr}",
            pytrace=False,
        )


if __name__ == "__main__":
    usual = (OPENENV, SDK1, SDK2, FASTMCP, SMOLAGENTS, DATASETS)
    for each in size(usual, (*usual, AGENTS_SDK, INSPECT, LANGCHAIN, PYDANTIC_AI)):
        made_once(each)
