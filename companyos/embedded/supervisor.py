"""The supervisor loop: it sleeps until a signal arrives and restarts processes that exited."""

import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import Self

from .workers import Kept

STOPS = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
CALM_S = 30.0
MAX_DELAY_S = 5.0
#: How often to check whether the stack is still wanted.
LOOK_S = 2.0


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
    """A supervised process and its recent exits."""

    def __init__(self, kept: Kept, *, calm_s: float = CALM_S) -> None:
        self.kept = kept
        self._calm_s = calm_s
        self.restart_at: float | None = None
        self._ends: list[float] = []

    def notice_end(self, now: float) -> float | None:
        """Schedule the restart of a dead process and return the delay; None if it runs or is already scheduled."""
        if self.restart_at is not None or self.kept.alive():
            return None
        self._ends = [end for end in self._ends if now - end < self._calm_s]
        delay = min(MAX_DELAY_S, 0.1 * 2 ** len(self._ends)) if self._ends else 0.0
        self._ends.append(now)
        self.restart_at = now + delay
        return delay


def supervise(
    kept: Sequence[Kept],
    signals: Signals,
    *,
    report: Callable[[str], None],
    changed: Callable[[], None],
    wanted: Callable[[], bool] = lambda: True,
    calm_s: float = CALM_S,
) -> None:
    """Keep the processes running until this one is asked to stop, or they are no longer wanted.

    A process that exits is restarted at once; repeated exits delay the restart by 0.2 s, 0.4 s, … up to 5 s.

    Args:
        kept: Processes to keep running.
        signals: Source of SIGCHLD and of requests to stop.
        report: Called with one line about each exit and restart.
        changed: Called after a restart.
        wanted: Called every two seconds; the loop ends when it returns False.
        calm_s: How long an exit counts toward the delay of the next restart.
    """
    watches = [Watch(each, calm_s=calm_s) for each in kept]
    while not STOPS & signals.wait(_until_next(watches)) and wanted():
        for watch in watches:
            _attend(watch, report, changed)


def _attend(watch: Watch, report: Callable[[str], None], changed: Callable[[], None]) -> None:
    now = time.monotonic()
    delay = watch.notice_end(now)
    if delay is not None:
        log = f"see {watch.kept.log}"
        report(f"{watch.kept.name} {watch.kept.how_it_ended()}; restarting in {delay:.1f} s ({log})")
    if watch.restart_at is not None and watch.restart_at <= now:
        watch.restart_at = None
        watch.kept.start()
        changed()


def _until_next(watches: Sequence[Watch]) -> float:
    planned = [watch.restart_at - time.monotonic() for watch in watches if watch.restart_at is not None]
    return max(0.0, min([LOOK_S, *planned]))


def _ignore(number: int, frame: FrameType | None) -> None:
    """Do nothing. A Python handler must be set for signals to write to the wakeup pipe."""
