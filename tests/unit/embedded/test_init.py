"""The first process of a container: it reaps, passes signals on, and ends as the program under it ended."""

import select
import signal
import subprocess
import sys

import pytest

from companyos.embedded.programs.processes import IS_LINUX
from companyos.sdk import stackpath
from tests.patience import PATIENCE_S

BEGIN = """
import os, signal, subprocess, sys, time
from pathlib import Path
from companyos.embedded.programs.init import leave_init_behind
leave_init_behind()
"""
LEAVE_AN_ORPHAN = """
told = subprocess.run(["sh", "-c", "sleep 0.2 >&2 & echo $!"], stdout=subprocess.PIPE, text=True, check=True)
orphan = Path("/proc", told.stdout.strip())
ends = time.monotonic() + 20
while orphan.exists() and time.monotonic() < ends:
    time.sleep(0.05)
print("left" if orphan.exists() else "reaped")
"""
# Short sleeps: a signal that arrives just before a sleep is handled after it.
WAIT = "print('set', flush=True)\nwhile True:\n    time.sleep(0.01)\n"
ROUNDS = 500
IN_A_NAMESPACE = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child")


def first_process(program: str, *wrapped: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*wrapped, sys.executable, "-c", BEGIN + program],
        stdout=subprocess.PIPE,
        text=True,
        env=stackpath.environment(),
    )


@pytest.mark.parametrize(
    ("program", "code"),
    [("sys.exit(0)", 0), ("sys.exit(3)", 3), ("os.kill(os.getpid(), signal.SIGKILL)", 128 + signal.SIGKILL)],
)
def test_it_ends_as_the_program_under_it_ends(program: str, code: int) -> None:
    with first_process(program) as process:
        process.communicate(timeout=PATIENCE_S)

    assert process.returncode == code


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_reaches_the_program_under_it(number: signal.Signals) -> None:
    with first_process(f"signal.signal({int(number)}, lambda *_: sys.exit(7))\n{WAIT}") as process:
        assert process.stdout is not None
        process.stdout.readline()

        process.send_signal(number)

        assert process.wait(30) == 7


def test_every_signal_comes_through_before_the_next_one() -> None:
    handler = "signal.signal(signal.SIGUSR1, lambda *_: print('came', flush=True))\n"
    with first_process(handler + WAIT) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            for _ in range(ROUNDS):
                process.send_signal(signal.SIGUSR1)
                assert select.select([process.stdout], [], [], 30)[0]
                process.stdout.readline()
        finally:
            process.terminate()


@pytest.mark.skipif(not IS_LINUX, reason="only Linux has process namespaces")
def test_an_orphan_that_ends_is_reaped() -> None:
    if subprocess.run([*IN_A_NAMESPACE, "true"], capture_output=True).returncode != 0:
        pytest.skip("the kernel allows no process namespaces here")

    with first_process(LEAVE_AN_ORPHAN, *IN_A_NAMESPACE) as process:
        said, _ = process.communicate(timeout=PATIENCE_S)

    assert (process.returncode, said) == (0, "reaped\n")
