"""Operating system queries about processes: liveness, start time and title."""

import ctypes
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_NAME = 15
IS_LINUX = sys.platform.startswith("linux")


def start_mark(pid: int) -> str | None:
    """Return a text unique to this run of process `pid`, or None if it is dead or a zombie.

    Process ids are reused; the pair of id and start time is not.
    """
    return _linux_mark(pid) if IS_LINUX else _portable_mark(pid)


def is_same(pid: int, mark: str) -> bool:
    """Return whether the process with this start mark still runs."""
    return start_mark(pid) == mark


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies. Does nothing outside Linux."""
    if IS_LINUX:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def set_title(title: str) -> None:
    """Set the process name that `ps -o comm` and `top` show (15 bytes); Linux only."""
    if IS_LINUX:
        ctypes.CDLL(None).prctl(PR_SET_NAME, title.encode()[:15], 0, 0, 0)


def signal_if_same(pid: int, mark: str, number: signal.Signals) -> bool:
    """Send a signal to a process if its start mark still matches; return whether it was sent."""
    if not is_same(pid, mark):
        return False
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def is_stopped(pid: int) -> bool:
    """Return whether a process, or a child of it, is stopped by a signal; Linux only."""
    return any(_state(one) == "T" for one in _family(pid))


def processor_time(pid: int) -> float:
    """Return the seconds of processor time that a process and its children have used; Linux only, elsewhere 0."""
    return sum(_ticks(one) for one in _family(pid)) / os.sysconf("SC_CLK_TCK")


def continue_all(pid: int) -> None:
    """Continue a process and its children."""
    for one in _family(pid):
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGCONT)


def command_of(pid: int) -> str:
    """Return the command line of a process, or an empty string if it is dead."""
    if not IS_LINUX:
        return subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True).stdout
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return [pid]
    return [pid, *map(int, children.split())]


def _state(pid: int) -> str:
    return next(iter(_stat(pid)), "")


def _ticks(pid: int) -> int:
    # utime, stime, and those of children that ended: fields 14 to 17 of proc(5), counted from the state.
    return sum(map(int, _stat(pid)[11:15]))


def _stat(pid: int) -> list[str]:
    """Return the fields after a process's name, the state first; none if it is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _linux_mark(pid: int) -> str | None:
    fields = _stat(pid)
    return fields[19] if fields and fields[0] not in "ZX" else None


def _portable_mark(pid: int) -> str | None:
    ps = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True)
    state, _, started = ps.stdout.strip().partition(" ")
    return None if not started or "Z" in state else started.strip()
