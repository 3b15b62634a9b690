"""What ends is started again: at once, then later and later, and never after a request to stop."""

import errno
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from companyos.embedded.programs.children import Child
from companyos.embedded.supervisor import CALM_S, MAX_DELAY_S, Publish, Signals, Watch, supervise

from .orphans import wait_until


def ended(tmp_path: Path) -> Child:
    child = Child("brief", ["true"], log=tmp_path / "log").start()
    wait_until(lambda: not child.alive())
    return child


def test_the_first_restart_is_at_once_and_the_next_ones_wait_longer(tmp_path: Path) -> None:
    watch = Watch(ended(tmp_path))

    delays = []
    for _ in range(9):
        delays.append(watch.notice_end(0.0))
        watch.restart_at = None

    assert delays[:4] == [0.0, 0.2, 0.4, 0.8]
    assert delays[-1] == MAX_DELAY_S
    watch.kept.stop()


def test_a_calm_time_is_forgiven(tmp_path: Path) -> None:
    watch = Watch(ended(tmp_path))
    watch.notice_end(0.0)
    watch.restart_at = None

    assert watch.notice_end(CALM_S + 1) == 0.0
    watch.kept.stop()


def test_a_running_process_is_left_alone(tmp_path: Path) -> None:
    child = Child("sleeper", ["sleep", "600"], log=tmp_path / "log").start()

    assert Watch(child).notice_end(0.0) is None
    child.stop()


def test_a_killed_process_is_reported_and_runs_again_until_the_stop(tmp_path: Path) -> None:
    child = Child("sleeper", ["sleep", "600"], log=tmp_path / "log").start()
    first, said, restarts = child.pid, [], []

    def watch_on() -> None:
        wait_until(lambda: bool(restarts))
        os.kill(os.getpid(), signal.SIGTERM)

    with Signals() as signals:
        observer = threading.Thread(target=watch_on)
        observer.start()
        os.kill(first, signal.SIGKILL)
        supervise([child], signals, report=said.append, publish=lambda _: restarts.append(child.pid))
        observer.join()

    assert said == [f"sleeper was killed by SIGKILL; restarting in 0.0 s (see {tmp_path / 'log'})"]
    assert restarts != [first]
    assert child.alive()
    child.stop()


def supervised(
    child: Child, until: Callable[[list[str]], bool], publish: Publish = lambda _: None
) -> list[str]:
    """Supervise a child until a condition on the reported lines holds; return these lines."""
    said: list[str] = []

    def watch_on() -> None:
        wait_until(lambda: until(said))
        os.kill(os.getpid(), signal.SIGTERM)

    with Signals() as signals:
        observer = threading.Thread(target=watch_on)
        observer.start()
        supervise([child], signals, report=said.append, publish=publish)
        observer.join()
    return said


def test_a_process_that_cannot_be_started_is_tried_again(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o700)
    child = Child("program", [str(program)], log=tmp_path / "log").start()
    child._options["cwd"] = tmp_path / "folder"

    def mend(said: list[str]) -> bool:
        if any("cannot be started" in line for line in said):
            (tmp_path / "folder").mkdir(exist_ok=True)
        return child.alive()

    os.kill(child.pid, signal.SIGKILL)
    wait_until(lambda: not child.alive())
    said = supervised(child, mend)

    assert any("program cannot be started ([Errno 2]" in line for line in said)
    child.stop()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE])
def test_a_status_that_cannot_be_written_is_written_later(tmp_path: Path, number: int) -> None:
    child = Child("sleeper", ["sleep", "600"], log=tmp_path / "log").start()
    tries: list[str] = []

    def publish(trouble: str) -> None:
        tries.append(trouble)
        if len(tries) < 4:
            raise OSError(number, os.strerror(number))

    os.kill(child.pid, signal.SIGKILL)
    said = supervised(child, lambda _: len(tries) >= 4, publish)

    assert [line for line in said if "The status" in line] == [
        f"The status cannot be written and is tried again: [Errno {number}] {os.strerror(number)}"
    ]
    child.stop()


def test_a_stopped_process_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companyos.embedded.supervisor.STOPPED_S", 0.2)
    child = Child("sleeper", ["sleep", "600"], log=tmp_path / "log").start()
    os.kill(child.pid, signal.SIGSTOP)
    wait_until(child.is_stopped)

    said = supervised(child, lambda _: not child.is_stopped())

    assert said == [f"sleeper is stopped, unasked; bringing it back (see {tmp_path / 'log'})"]
    child.stop()


def test_a_process_that_lingers_half_shut_is_ended_and_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companyos.embedded.supervisor.LEAVING_S", 0.2)
    monkeypatch.setattr("companyos.embedded.supervisor.URGE_S", 0.2)
    stubborn = "trap '' TERM QUIT; echo ready; while :; do sleep 0.05; done"
    leaving = tmp_path / "leaving"
    leaving.touch()
    child = Child(
        "half shut", ["/bin/sh", "-c", stubborn], log=tmp_path / "log", leaving=leaving.exists
    ).start()
    first = child.pid

    def is_new(said: list[str]) -> bool:
        if child.pid != first:
            leaving.unlink(missing_ok=True)
        return child.pid != first

    said = supervised(child, is_new)

    assert "half shut is shutting down, unasked" in said[0]
    assert "half shut was killed by SIGKILL; restarting" in said[-1]
    child.stop(timeout_s=0)


def test_processes_restart_one_after_another(tmp_path: Path) -> None:
    is_open = threading.Event()
    began: list[str] = []
    first = Child("first", ["sleep", "600"], log=tmp_path / "log", ready=is_open.is_set).start()
    second = Child("second", ["sleep", "600"], log=tmp_path / "log").start()
    before = second.pid
    for child in (first, second):
        os.kill(child.pid, signal.SIGKILL)
        wait_until(lambda child=child: not child.alive())

    def watch_on() -> None:
        wait_until(first.alive)
        began.append("first")
        assert second.pid == before
        is_open.set()
        wait_until(second.alive)
        os.kill(os.getpid(), signal.SIGTERM)

    with Signals() as signals:
        observer = threading.Thread(target=watch_on)
        observer.start()
        supervise([first, second], signals, report=lambda _: None, publish=lambda _: None)
        observer.join()

    assert began == ["first"]
    assert second.pid != before
    for child in (first, second):
        child.stop()


def test_signals_are_given_back_to_whoever_had_them() -> None:
    before = signal.getsignal(signal.SIGTERM)

    with Signals():
        assert signal.getsignal(signal.SIGTERM) != before

    assert signal.getsignal(signal.SIGTERM) == before
