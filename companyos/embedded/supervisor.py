"""The supervisor loop: it sleeps until a signal arrives and brings back processes that ended, stopped or are leaving.

Nothing that fails in it ends it: a start or a write that fails, for example on a full disk, is tried again.
"""

import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Self

from .errors import StackError
from .workers import Kept

STOPS = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT}
CALM_S = 30.0
MAX_DELAY_S = 5.0
#: How often to check whether the stack is still wanted.
LOOK_S = 2.0
#: How often to check whether a process that was restarted is ready.
STARTING_S = 0.1
#: How long a restarted process keeps others from restarting. One at a time, an overloaded machine recovers.
TURN_S = 30.0
#: How long a process may be stopped before it is continued.
STOPPED_S = 5.0
#: How long a process may take to leave before it is made to.
LEAVING_S = 2.0
#: How long a process that is made to leave may take before it is urged again.
URGE_S = 10.0

Publish = Callable[[str], None]


class Signals:
    """Makes the signals of this process awaitable; a context manager."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self._writer, False)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _ignore) for number in (*STOPS, signal.SIGCHLD)}

    def wait(self, timeout_s: float | None) -> set[int]:
        """Sleep until a signal arrives or the timeout expires, and return the signals received."""
        ready, _, _ = select.select([self._reader], [], [], timeout_s)
        return set(os.read(self._reader, 4096)) if ready else set()

    def forget(self) -> None:
        """Close the pipe in a forked copy of the owner."""
        os.close(self._reader)
        os.close(self._writer)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.set_wakeup_fd(-1)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self.forget()


class Watch:
    """A supervised process, its recent ends, and what is wrong with it."""

    def __init__(self, kept: Kept, *, calm_s: float = CALM_S) -> None:
        self.kept = kept
        self._calm_s = calm_s
        self.restart_at: float | None = None
        self.trouble = ""
        self._ends: list[float] = []
        self._started_at: float | None = None
        self._stopped_at: float | None = None
        self._leaving_at: float | None = None

    def notice_end(self, now: float) -> float | None:
        """Schedule the restart of a dead process and return the delay; None if it runs or is already scheduled."""
        if self.restart_at is not None or self.kept.alive():
            return None
        self._started_at = None
        self._ends = [end for end in self._ends if now - end < self._calm_s]
        delay = min(MAX_DELAY_S, 0.1 * 2 ** len(self._ends)) if self._ends else 0.0
        self._ends.append(now)
        self.restart_at = now + delay
        return delay

    def start(self, now: float) -> None:
        """Restart the process.

        Raises:
            OSError: It cannot be started now.
            StackError: It cannot be started now.
        """
        self.restart_at = self._stopped_at = self._leaving_at = None
        self.kept.start()
        self._started_at = now

    def is_starting(self, now: float) -> bool:
        """Return whether the process was restarted and is not ready, for at most `TURN_S`."""
        if self._started_at is None:
            return False
        if self.kept.is_ready():
            self.trouble, self._started_at = "", None
            return False
        return now - self._started_at < TURN_S

    def is_stuck(self, now: float) -> str:
        """Return what keeps a living process from working for too long: "is stopped", "is shutting down" or nothing."""
        self._stopped_at = _since(self._stopped_at, now, holds=self.kept.is_stopped())
        self._leaving_at = _since(self._leaving_at, now, holds=self.kept.is_leaving())
        if self._stopped_at is not None and now - self._stopped_at >= STOPPED_S:
            return "is stopped"
        if self._leaving_at is not None and now - self._leaving_at >= LEAVING_S:
            return "is shutting down"
        return ""

    def free(self, now: float) -> None:
        """Make a stuck process go on, or end; it is urged again if it does not."""
        self._stopped_at, self._leaving_at = None, now + URGE_S
        self._started_at = now
        with suppress(ProcessLookupError):
            self.kept.free()


def supervise(
    kept: Sequence[Kept],
    signals: Signals,
    *,
    report: Callable[[str], None],
    publish: Publish,
    wanted: Callable[[], bool] = lambda: True,
    calm_s: float = CALM_S,
) -> None:
    """Keep the processes running until this one is asked to stop, or they are no longer wanted.

    A process that exits is restarted at once; repeated exits delay the restart by 0.2 s, 0.4 s, … up to 5 s. Processes
    restart one after another, the first of `kept` first, each once the one before is ready.

    Args:
        kept: Processes to keep running.
        signals: Source of SIGCHLD and of requests to stop.
        report: Called with one line about each exit and restart.
        publish: Called after a change, with what is wrong in words, or nothing; called again until it succeeds.
        wanted: Called every two seconds; the loop ends when it returns False.
        calm_s: How long an exit counts toward the delay of the next restart.
    """
    supervisor = _Supervisor([Watch(each, calm_s=calm_s) for each in kept], report, publish)
    while not STOPS & signals.wait(supervisor.until_next()) and wanted():
        supervisor.attend_all()


class _Supervisor:
    def __init__(self, watches: Sequence[Watch], report: Callable[[str], None], publish: Publish) -> None:
        self._watches = watches
        self._report = report
        self._publish = publish
        self._published: list[object] = self._state()
        self._unpublished = ""

    def attend_all(self) -> None:
        """Look after every process once, then publish what changed."""
        for watch in self._watches:
            self._attend(watch)
        self._tell_state()

    def until_next(self) -> float:
        """Return how long the loop may sleep, in seconds."""
        now = time.monotonic()
        if any(watch.is_starting(now) for watch in self._watches):
            return STARTING_S
        planned = [watch.restart_at - now for watch in self._watches if watch.restart_at is not None]
        return max(0.0, min([LOOK_S, *planned]))

    def _attend(self, watch: Watch) -> None:
        now = time.monotonic()
        if (delay := watch.notice_end(now)) is not None:
            self._tell_end(watch, watch.kept.how_it_ended(), delay)
        elif watch.restart_at is None and (reason := watch.is_stuck(now)):
            self._free(watch, reason, now)
        if watch.restart_at is not None and watch.restart_at <= now and not self._somebody_starts(now):
            self._start(watch, now)

    def _start(self, watch: Watch, now: float) -> None:
        try:
            watch.start(now)
        except (OSError, StackError) as failure:
            delay = watch.notice_end(now) or 0.0
            self._tell_end(watch, f"cannot be started ({failure})", delay)

    def _somebody_starts(self, now: float) -> bool:
        return any(watch.is_starting(now) for watch in self._watches)

    def _free(self, watch: Watch, reason: str, now: float) -> None:
        watch.trouble = f"{watch.kept.name} {reason}"
        self._report(f"{watch.kept.name} {reason}, unasked; bringing it back (see {watch.kept.log})")
        watch.free(now)

    def _tell_end(self, watch: Watch, how: str, delay: float) -> None:
        watch.trouble = f"{watch.kept.name} {how}"
        self._report(f"{watch.kept.name} {how}; restarting in {delay:.1f} s (see {watch.kept.log})")

    def _state(self) -> list[object]:
        return [*(watch.kept.pid for watch in self._watches), self._trouble()]

    def _trouble(self) -> str:
        return "; ".join(watch.trouble for watch in self._watches if watch.trouble)

    def _tell_state(self) -> None:
        if self._published == (state := self._state()):
            return
        try:
            self._publish(self._trouble())
        except (OSError, StackError) as failure:
            if self._unpublished != str(failure):
                self._unpublished = str(failure)
                self._report(f"The status cannot be written and is tried again: {failure}")
            return
        self._published, self._unpublished = state, ""


def _since(before: float | None, now: float, *, holds: bool) -> float | None:
    """Return since when something holds; None if it does not."""
    if not holds:
        return None
    return now if before is None else before


def _ignore(number: int, frame: FrameType | None) -> None:
    """Do nothing. A Python handler must be set for signals to write to the wakeup pipe."""
