"""Programs started by us end with us, are started again, and say how they ended."""

import signal
from pathlib import Path

import pytest

from companyos.embedded.errors import StackError
from companyos.embedded.programs.children import Child, Guard, tail
from companyos.embedded.programs.processes import start_mark

from .orphans import all_dead, killed_after, wait_until

START_A_CHILD_AND_DIE = """
import os, signal, sys, threading
from pathlib import Path
from companyos.embedded.programs.children import Child

def start():
    child = Child("sleeper", ["sleep", "600"], log=Path(sys.argv[1])).start()
    print(child.pid, child._guard.pid, flush=True)

if sys.argv[2] == "main thread":
    start()
else:
    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("starter", ["main thread", "a thread that ended: only the guard is left"])
def test_a_child_and_its_guard_end_when_their_parent_is_killed(tmp_path: Path, starter: str) -> None:
    child, guard = killed_after(START_A_CHILD_AND_DIE, str(tmp_path / "log"), starter)

    wait_until(lambda: all_dead([child, guard]))


def test_a_stopped_child_can_be_started_again(tmp_path: Path) -> None:
    child = Child("sleeper", ["sleep", "600"], log=tmp_path / "log").start()
    first = child.pid

    child.stop()
    child.start()

    assert child.alive()
    assert child.pid != first
    assert start_mark(first) is None
    child.stop()


def test_a_child_that_ignores_the_request_is_killed(tmp_path: Path) -> None:
    script = "trap '' TERM; echo ready; while :; do sleep 0.05; done"
    child = Child("stubborn", ["/bin/sh", "-c", script], log=tmp_path / "log").start()
    child.wait_until(lambda: "ready" in tail(tmp_path / "log"))

    child.stop(timeout_s=0.1)

    assert child.how_it_ended() == "was killed by SIGKILL"


def test_a_child_that_ends_at_start_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    child = Child("broken", ["/bin/sh", "-c", "echo no such luck; exit 3"], log=tmp_path / "log").start()

    with pytest.raises(StackError) as refused:
        child.wait_until(lambda: False)

    assert "broken ended with code 3" in str(refused.value)
    assert "no such luck" in str(refused.value)
    child.stop()


def test_a_start_without_progress_is_given_up_and_names_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANYOS_START_STALL_S", "0.3")
    child = Child("hung", ["sleep", "600"], log=tmp_path / "log").start()

    with pytest.raises(StackError, match=r"no progress in 0 s.*COMPANYOS_START_STALL_S"):
        child.wait_until(lambda: False)

    child.stop()


@pytest.mark.parametrize(
    "progress", ["while :; do echo still starting; sleep 0.1; done", "while :; do :; done"]
)
def test_a_start_that_makes_progress_goes_on_until_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, progress: str
) -> None:
    monkeypatch.setenv("COMPANYOS_START_STALL_S", "1.5")
    monkeypatch.setenv("COMPANYOS_START_TIMEOUT_S", "4")
    child = Child("slow", ["/bin/sh", "-c", progress], log=tmp_path / "log").start()

    with pytest.raises(StackError, match=r"not ready in 4 s.*COMPANYOS_START_TIMEOUT_S"):
        child.wait_until(lambda: False)

    child.stop()


def test_a_dismissed_guard_leaves_the_process_alone(tmp_path: Path) -> None:
    child = Child("sleeper", ["sleep", "600"], log=tmp_path / "log").start()
    guard = Guard(child.pid, signal.SIGTERM)

    guard.dismiss()

    assert start_mark(guard.pid) is None
    assert child.alive()
    child.stop()
