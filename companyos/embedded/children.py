"""Programs that die with us: a child started here outlives its parent in no way, not even a kill -9.

Two independent means: on Linux the kernel signals the child when its parent dies (`setpriv --pdeathsig`), and
everywhere a guard, a shell that reads a pipe only we hold open, stops the child at the end of that pipe.
"""

import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from .errors import StackError
from .processes import IS_LINUX

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

    @property
    def pid(self) -> int:
        """The shell's process id."""
        return self._shell.pid

    def dismiss(self) -> None:
        """End the guard without touching what it guarded."""
        self._shell.kill()
        self._shell.communicate()

    def forget(self) -> None:
        """Let go of the pipe in a forked copy of the process that owns it, which does not wake the guard."""
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        self._shell.returncode = 0


class Child:
    """A program with its log file, which can be started again after its end."""

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        *,
        log: Path,
        stop: signal.Signals = signal.SIGTERM,
        user: int | None = None,
        env: Mapping[str, str] | None = None,
        keeps: Sequence[int] = (),
    ) -> None:
        """Describe the program.

        Args:
            name: What people call it.
            argv: Its command line.
            log: The file its output is added to.
            stop: The signal that asks it to end.
            user: The uid and gid it runs as; ours by default.
            env: Its environment; ours by default.
            keeps: File descriptors of ours that it inherits.
        """
        self.name = name
        self.log = log
        self._argv = argv
        self._stop = stop
        self._options: dict[str, Any] = {"env": env, "pass_fds": keeps}
        if user is not None:
            self._options |= {"user": user, "group": user, "extra_groups": []}
        self._program: subprocess.Popen[bytes] | None = None
        self._guard: Guard | None = None

    @property
    def pid(self) -> int:
        """The process id; stays the same through every wrapper, since each of them execs the next."""
        return self._running.pid

    @property
    def _running(self) -> "subprocess.Popen[bytes]":
        assert self._program is not None, f"{self.name} was never started"
        return self._program

    def start(self) -> Self:
        """Start the program, or start it again."""
        self._dismiss_guard()
        with self.log.open("ab") as output:
            self._program = subprocess.Popen(
                [*_dies_with_parent(self._stop), *self._argv],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **self._options,
            )
        self._guard = Guard(self._program.pid, self._stop)
        return self

    def alive(self) -> bool:
        """Tell whether the program still runs."""
        return self._running.poll() is None

    def wait_until(self, ready: Callable[[], bool], *, timeout_s: float) -> None:
        """Wait until `ready` holds.

        Raises:
            StackError: The program ended or the time is over; the message shows the end of its log.
        """
        deadline = time.monotonic() + timeout_s
        while not ready():
            if not self.alive():
                raise StackError(f"{self.name} {self.how_it_ended()} at start.\n{tail(self.log)}")
            if time.monotonic() > deadline:
                raise StackError(f"{self.name} was not ready in {timeout_s:.0f} s.\n{tail(self.log)}")
            time.sleep(POLL_S)

    def ask_to_stop(self) -> None:
        """Send the signal that asks the program to end."""
        if self.alive():
            self._running.send_signal(self._stop)

    def stop(self, *, timeout_s: float = 10.0) -> None:
        """Ask the program to end, insist when it does not, and dismiss its guard."""
        self.ask_to_stop()
        try:
            self._running.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._running.kill()
            self._running.wait()
        self._dismiss_guard()

    def forget(self) -> None:
        """Let go of the program in a forked copy of the process that owns it."""
        self._running.returncode = 0
        if self._guard:
            self._guard.forget()

    def how_it_ended(self) -> str:
        """Say in words how the program ended."""
        return describe_exit(self._running.returncode)

    def _dismiss_guard(self) -> None:
        if self._guard:
            self._guard.dismiss()
            self._guard = None


def describe_exit(code: int) -> str:
    """Say in words how a process ended; a negative code is the signal that killed it."""
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def tail(log: Path, lines: int = 8) -> str:
    """Return the end of a log, headed by its path."""
    text = log.read_text(errors="replace").splitlines()[-lines:] if log.exists() else []
    return "\n".join([f"The end of {log}:", *(f"  {line}" for line in text)])


def _dies_with_parent(stop: signal.Signals) -> list[str]:
    # The kernel signals when the *thread* that started the child dies; short-lived ones rely on the guard.
    if not IS_LINUX or threading.current_thread() is not threading.main_thread():
        return []
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", stop.name.removeprefix("SIG"), "--"] if setpriv else []
