"""A running stack, and programs that play on it inside a framework's environment."""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home

from .environments import LIGHT, ROOT, everything_is_asked_for, interpreter_with

PROGRAMS = Path(__file__).parent / "programs"
PLAY_TIMEOUT_S = 600

Play = Callable[..., Any]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The home of the stack under test."""
    return Home.at(tmp_path_factory.mktemp("stack"))


@pytest.fixture(scope="session")
def url(home: Home) -> Iterator[str]:
    """The trainer API of a stack of its own."""
    with running_stack(home) as stack:
        yield stack.url


@pytest.fixture
def play(home: Home, url: str, tmp_path: Path) -> Play:
    """Runs a program in a framework's environment, and returns the JSON that it prints last."""

    def run(extra: str, program: str, *arguments: object) -> Any:
        if extra not in LIGHT and not everything_is_asked_for():
            pytest.skip("takes long to install: `make adapters` runs it")
        # Installing and playing have limits of their own, longer than that of a test.
        faulthandler.cancel_dump_traceback_later()
        python = interpreter_with(extra)
        environment = {
            **os.environ,
            "COMPANYOS_HOME": str(home.path),
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "PATH": os.pathsep.join([str(python.parent), os.environ["PATH"]]),
        }
        ran = subprocess.run(
            [python, PROGRAMS / program, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=PLAY_TIMEOUT_S,
            cwd=tmp_path,
            env=environment,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return json.loads(ran.stdout.splitlines()[-1])

    return run
