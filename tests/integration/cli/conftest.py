"""A command line to call, a home of its own for every test that asks, and one running stack for those that share."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from companyos.embedded.home import Home, Status
from companyos.embedded.programs.processes import start_mark
from companyos.sdk import stackpath
from tests.command_line import run
from tests.patience import PATIENCE_S

#: The tasks of the run that tests share.
OF_TWO = ("vendor_onboarding", "expense_report", "--seeds", "2", "--chaos", "0-1")
#: What the stack of two of each process was told.
OPERATOR_TOKEN = "an-operator-token-for-tests"
CELL = "cell-of-tests"


@dataclass(frozen=True)
class CommandLine:
    """`companyos` in one home, called from a folder that is no checkout."""

    home: Home
    wrapper: tuple[str, ...] = ()

    def __call__(
        self, *arguments: str, typed: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, which reads `typed` from its standard input."""
        environment["COMPANYOS_HOME"] = str(self.home.path)
        if not self.wrapper:
            return run(*arguments, folder=self.home.path, typed=typed, **environment)
        return subprocess.run(
            [*self.wrapper, *stackpath.program(*arguments)],
            capture_output=True,
            text=True,
            cwd=self.home.path,
            env=stackpath.environment(**environment),
            timeout=PATIENCE_S,
        )

    def json(self, *arguments: str) -> Any:
        """Run a command with --json and return what it printed."""
        return json.loads(self(*arguments, "--json").stdout)

    @property
    def status(self) -> Status:
        """The status of the stack, which must be running."""
        status = self.home.status()
        assert status is not None, "no stack runs"
        return status

    def pid(self, name: str) -> int:
        """The process id of one process of the stack."""
        return next(process.pid for process in self.status.processes if process.name == name)

    def all_pids(self) -> list[int]:
        """The process ids of the whole stack."""
        return [self.status.supervisor.pid, *(process.pid for process in self.status.processes)]


@pytest.fixture
def companyos(tmp_path: Path, unused_tcp_port_factory: Callable[[], int]) -> Iterator[CommandLine]:
    """A command line with a home of its own, in which nothing runs afterwards.

    As after an earlier start, the home has an agent port, so that its restarts never meet another test's stack.
    """
    with closing_home(tmp_path / "home") as command_line:
        command_line.home.keep_agent_port(unused_tcp_port_factory())
        yield command_line


@pytest.fixture
def new_home(tmp_path: Path) -> Iterator[CommandLine]:
    """A command line with a home in which nothing was ever started."""
    with closing_home(tmp_path / "new") as command_line:
        yield command_line


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    """A command line whose stack runs, for all tests that do it no harm."""
    with started_home(tmp_path_factory.mktemp("running")) as command_line:
        yield command_line


@pytest.fixture(scope="session")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    """A command line whose stack runs two of each process, which tests may end if they wait until all are back."""
    settings = {"COMPANYOS_OPERATOR_TOKEN": OPERATOR_TOKEN, "COMPANYOS_CELL": CELL}
    with started_home(tmp_path_factory.mktemp("pair"), "--replicas", "2", **settings) as command_line:
        yield command_line


@pytest.fixture(scope="session")
def oracle_run(running: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of the oracle, which no test changes: two scenarios, two levels, one pair."""
    out = tmp_path_factory.mktemp("runs") / "oracle"
    played = running("run", "--agent", "oracle", *OF_TWO, "--out", str(out))
    assert played.returncode == 0, played.stderr
    return out


@contextmanager
def started_home(path: Path, *options: str, **environment: str) -> Iterator[CommandLine]:
    """Start a stack in a new home and hand out its command line."""
    with closing_home(path) as command_line:
        started = command_line("up", "--detach", *options, **environment)
        assert started.returncode == 0, started.stderr
        yield command_line


@contextmanager
def closing_home(path: Path, *wrapper: str) -> Iterator[CommandLine]:
    """Hand out a command line in a new home and end there whatever still runs."""
    home = Home(path)
    home.create()
    command_line = CommandLine(home, wrapper)
    try:
        yield command_line
    finally:
        if home.recorded() or any(path.glob("*.lock")):
            command_line("down", "--force")


def wait_until(condition: Callable[[], bool], longest_s: float = PATIENCE_S, log: Path | None = None) -> None:
    """Wait for a condition, with a deadline; a log says what kept it from coming true."""
    deadline = time.monotonic() + longest_s
    while not condition():
        assert time.monotonic() < deadline, log.read_text() if log else "it did not come true in time"
        time.sleep(0.05)


def kill(pid: int) -> None:
    """Kill a process as a crash would."""
    os.kill(pid, signal.SIGKILL)


def all_dead(pids: list[int]) -> bool:
    """Tell whether none of these processes lives."""
    return not any(start_mark(pid) for pid in pids)
