"""A virtual environment with the released OpenEnv, made once per machine: its clients are what must work."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RELEASE = "0.10.*"
INSTALL_TIMEOUT_S = 600


def made_once() -> Path:
    """Return the interpreter of the environment; make it if it is not there.

    A machine that cannot install OpenEnv cannot say whether OpenEnv's clients work: the tests fail, they are
    not skipped.
    """
    home = Path(os.environ.get("COMPANYOS_TEST_CACHE") or Path.home() / ".cache" / "companyos-tests")
    place = home / f"openenv-{RELEASE.removesuffix('.*')}-{sys.implementation.cache_tag}"
    home.mkdir(parents=True, exist_ok=True)
    with (home / f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "complete").exists():
            _make(place)
    return place / "bin" / "python"


def _make(place: Path) -> None:
    requirement = f"openenv=={RELEASE}"
    python = str(place / "bin" / "python")
    if uv := shutil.which("uv"):
        _run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(place))
        _run(uv, "pip", "install", "--quiet", "--python", python, requirement)
    else:
        _run(sys.executable, "-m", "venv", "--clear", str(place))
        _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement)
    (place / "complete").touch()


def _run(*command: str) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S)
    if ran.returncode:
        pytest.fail(
            f"OpenEnv could not be installed, so nothing can be said about its clients.\n"
            f"{' '.join(command)}\n{ran.stdout}{ran.stderr}",
            pytrace=False,
        )
