"""What ends is started again: at once, then later and later, and never after a request to stop."""

import os
import signal
import threading
from pathlib import Path

from companyos.embedded.programs.children import Child
from companyos.embedded.supervisor import CALM_S, MAX_DELAY_S, Signals, Watch, supervise

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
        supervise([child], signals, report=said.append, changed=lambda: restarts.append(child.pid))
        observer.join()

    assert said == [f"sleeper was killed by SIGKILL; restarting in 0.0 s (see {tmp_path / 'log'})"]
    assert restarts != [first]
    assert child.alive()
    child.stop()


def test_signals_are_given_back_to_whoever_had_them() -> None:
    before = signal.getsignal(signal.SIGTERM)

    with Signals():
        assert signal.getsignal(signal.SIGTERM) != before

    assert signal.getsignal(signal.SIGTERM) == before
