"""For tests about what a killed process leaves behind: programs that start something and are killed."""

import subprocess
import sys
import time
from collections.abc import Callable

from companyos.embedded.programs.processes import start_mark
from companyos.sdk import stackpath
from tests.patience import PATIENCE_S


def killed_after(program: str, *arguments: str) -> list[int]:
    """Run a Python program that prints process ids and then kills itself; return these ids."""
    killed = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        env=stackpath.environment(),
    )
    assert killed.returncode == -9, killed.stderr
    return [int(pid) for pid in killed.stdout.split()]


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for a condition, with a deadline."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.02)


def all_dead(pids: list[int]) -> bool:
    """Tell whether none of these processes lives."""
    return not any(start_mark(pid) for pid in pids)
