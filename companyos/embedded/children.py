"""Programs that die with us: a child started here outlives its parent in no way, not even a kill -9.

Two independent means: on Linux the kernel signals the child when its parent dies (`setpriv --pdeathsig`), and
everywhere a guard, a shell that reads a pipe only we hold open, stops the child at the end of that pipe.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from .errors import StackError

GUARD = """
read _
kill -s "$1" "$2"
tries=0
while kill -0 "$2" && [ $tries -lt 100 ]; do
  grep -qs ') Z ' "/proc/$2/stat" && exit
  sleep 0.1
  tries=$((tries + 1))
done
kill -KILL "$2"
"""
POLL_S = 0.005


class Guard:
    """A shell in its own session that stops one process when our end of its pipe closes."""

    def __init__(self, pid: int, stop: signal.Signals) -> None:
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", GUARD, "guard", stop.name.removeprefix("SIG"), str(pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def dismiss(self) -> None:
        """End the guard without touching what it guarded."""
        self._shell.kill()
        self._shell.communicate()

    def forget(self) -> None:
        """Let go of the pipe without waking the guard; for a forked copy of the process that owns it."""
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        self._shell.returncode = 0


class Child:
    """One running program with its log file."""

    def __init__(
        self, name: str, program: "subprocess.Popen[bytes]", log: Path, stop: signal.Signals
    ) -> None:
        self.name = name
        self.log = log
        self._program = program
        self._stop = stop
        self._guard = Guard(program.pid, stop)

    @classmethod
    def start(
        cls,
        name: str,
        argv: Sequence[str],
        *,
        log: Path,
        stop: signal.Signals = signal.SIGTERM,
        user: int | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Self:
        """Start a program; its output goes to `log`, `user` is the uid and gid it runs as (default: ours)."""
        identity = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        with log.open("ab") as output:
            program = subprocess.Popen(
                [*_dies_with_parent(stop), *argv],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=env,
                **identity,  # type: ignore[call-overload]
            )
        return cls(name, program, log, stop)

    @property
    def pid(self) -> int:
        """The process id; stays the same through every wrapper, since each of them execs the next."""
        return self._program.pid

    def alive(self) -> bool:
        """Tell whether the program still runs."""
        return self._program.poll() is None

    def wait_until(self, ready: Callable[[], bool], *, timeout_s: float) -> None:
        """Wait until `ready` holds.

        Raises:
            StackError: The program ended or the time is over; the message shows the end of its log.
        """
        deadline = time.monotonic() + timeout_s
        while not ready():
            if not self.alive():
                raise StackError(f"{self.name} ended at start.\n{self.tail()}")
            if time.monotonic() > deadline:
                raise StackError(f"{self.name} was not ready in {timeout_s:.0f} s.\n{self.tail()}")
            time.sleep(POLL_S)

    def tail(self, lines: int = 8) -> str:
        """Return the end of the log, headed by its path."""
        text = self.log.read_text(errors="replace").splitlines()[-lines:]
        return "\n".join([f"The end of {self.log}:", *(f"  {line}" for line in text)])

    def stop(self, *, timeout_s: float = 10.0) -> None:
        """Ask the program to end, insist when it does not, and dismiss its guard."""
        if self.alive():
            self._program.send_signal(self._stop)
        try:
            self._program.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._program.kill()
            self._program.wait()
        self._guard.dismiss()

    def forget(self) -> None:
        """Let go of the program in a forked copy of the process that owns it."""
        self._guard.forget()
        self._program.returncode = 0


def _dies_with_parent(stop: signal.Signals) -> list[str]:
    # The kernel signals when the *thread* that started the child dies; short-lived ones rely on the guard.
    if not sys.platform.startswith("linux") or threading.current_thread() is not threading.main_thread():
        return []
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", stop.name.removeprefix("SIG"), "--"] if setpriv else []


def is_alive(pid: int) -> bool:
    """Tell whether a process with this id exists, whoever owns it."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
