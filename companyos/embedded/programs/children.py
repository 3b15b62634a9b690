"""Child programs that never outlive this process, even after kill -9.

Two independent mechanisms ensure this. On Linux, the kernel signals the child when its parent dies (`setpriv
--pdeathsig`). On every system, a guard stops the child: a shell that waits for the end of a pipe that only
the parent holds open.
"""

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol, Self

from ..errors import StackError
from .patience import Patience
from .processes import IS_LINUX, continue_all, is_stopped

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
#: What ends a program that does not end when it is asked to.
FORCES = (signal.SIGQUIT, signal.SIGKILL)


class Guard:
    """A shell in its own session that stops one process when the parent's end of a pipe closes."""

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
        """Stop the guard without touching the guarded process."""
        self._shell.kill()
        self._shell.communicate()

    def forget(self) -> None:
        """Close the pipe in a forked copy of the owner. This does not trigger the guard."""
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        self._shell.returncode = 0


class Child:
    """A restartable program with a log file."""

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
        ready: Callable[[], bool] = lambda: True,
        leaving: Callable[[], bool] = lambda: False,
    ) -> None:
        """Describe the program.

        Args:
            name: Name shown to users.
            argv: Command line.
            log: File to which the output is appended.
            stop: Signal that asks the program to stop.
            user: The uid and gid to run as; by default those of this process.
            env: Environment; by default that of this process.
            keeps: File descriptors of this process to inherit.
            ready: Whether the program answers.
            leaving: Whether the program is shutting down.
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
        self._ready, self._leaving = ready, leaving
        self._urged = 0

    @property
    def pid(self) -> int:
        """The process id, which never changes, because every wrapper execs the next program."""
        return self._running.pid

    @property
    def _running(self) -> "subprocess.Popen[bytes]":
        assert self._program is not None, f"{self.name} was never started"
        return self._program

    def start(self) -> Self:
        """Start or restart the program."""
        self._dismiss_guard()
        with opened_log(self.log) as output:
            self._program = subprocess.Popen(
                [*_dies_with_parent(self._stop), *self._argv],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **self._options,
            )
        self._urged = 0
        try:
            self._guard = Guard(self._program.pid, self._stop)
        except OSError:
            self._program.kill()
            raise
        return self

    def alive(self) -> bool:
        """Return whether the program runs."""
        return self.exit_code() is None

    def exit_code(self) -> int | None:
        """Return the program's exit code, or None while it runs."""
        return self._running.poll()

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Wait until `ready` holds, as long as the program makes progress (see `patience`).

        Raises:
            StackError: The program exited or took too long; the message shows the end of its log.
        """
        await_start(self, ready)

    def ask_to_stop(self) -> None:
        """Send the stop signal to the program."""
        if self.alive():
            self._running.send_signal(self._stop)

    def stop(self, *, timeout_s: float = 10.0) -> None:
        """Stop the program, killing it after the timeout, and dismiss its guard."""
        self.ask_to_stop()
        try:
            self._running.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._running.kill()
            self._running.wait()
        self._dismiss_guard()

    def is_ready(self) -> bool:
        """Return whether the program answers."""
        return self.alive() and self._ready()

    def is_stopped(self) -> bool:
        """Return whether a signal keeps the program, or a child of it, from running."""
        return self.alive() and is_stopped(self.pid)

    def is_leaving(self) -> bool:
        """Return whether the program is shutting down."""
        return self.alive() and self._leaving()

    def free(self) -> None:
        """Continue the program if it is stopped, or else end it, more forcefully each time."""
        if self.is_stopped():
            continue_all(self.pid)
            return
        self._running.send_signal((self._stop, *FORCES)[min(self._urged, len(FORCES))])
        self._urged += 1

    def forget(self) -> None:
        """Release the program in a forked copy of the owner."""
        self._running.returncode = 0
        if self._guard:
            self._guard.forget()

    def how_it_ended(self) -> str:
        """Describe how the program ended."""
        return describe_exit(self._running.returncode)

    def _dismiss_guard(self) -> None:
        if self._guard:
            self._guard.dismiss()
            self._guard = None


class Starting(Protocol):
    """A process that is waited for."""

    name: str
    log: Path

    @property
    def pid(self) -> int:
        """The process id."""

    def alive(self) -> bool:
        """Return whether the process runs."""

    def how_it_ended(self) -> str:
        """Describe how it ended."""


def await_start(process: Starting, ready: Callable[[], bool]) -> None:
    """Wait until a process is ready, as long as it makes progress.

    Raises:
        StackError: It exited or took too long; the message shows the end of its log.
    """
    patience = Patience(process.name, process.pid, process.log)
    while not ready():
        if not process.alive():
            raise StackError(f"{process.name} {process.how_it_ended()} at start.\n{tail(process.log)}")
        try:
            patience.require()
        except StackError as failure:
            raise StackError(f"{failure}\n{tail(process.log)}") from None
        time.sleep(POLL_S)


def describe_exit(code: int) -> str:
    """Describe how a process ended; a negative code is the signal that killed it."""
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def opened_log(log: Path) -> BinaryIO:
    """Open a log to append to or, where that fails, nothing: a process is worth more than its log."""
    try:
        return log.open("ab")
    except OSError:
        return Path(os.devnull).open("ab")


def tail(log: Path, lines: int = 8, *, after: int = 0) -> str:
    """Return the last lines of a log under a heading with its path, skipping the first `after` bytes."""
    text = log.read_bytes()[after:].decode(errors="replace").splitlines()[-lines:] if log.exists() else []
    return "\n".join([f"The end of {log}:", *(f"  {line}" for line in text)])


def _dies_with_parent(stop: signal.Signals) -> list[str]:
    # The kernel sends the signal when the starting *thread* dies, so only the main thread can use it.
    if not IS_LINUX or threading.current_thread() is not threading.main_thread():
        return []
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", stop.name.removeprefix("SIG"), "--"] if setpriv else []
