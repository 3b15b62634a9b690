"""Decides how long to wait for a process that starts: as long as it makes progress, within a generous limit.

Progress is a log that grows, or processor time used by the process or a child of it. So a start on a slow or crowded
machine goes on, and one that hangs is given up.
"""

import os
import time
from pathlib import Path

from ..errors import StackError
from .processes import processor_time

#: How often to look for progress.
LOOK_S = 0.5
LIMIT, STALL = "COMPANYOS_START_TIMEOUT_S", "COMPANYOS_START_STALL_S"
LIMIT_S, STALL_S = 600.0, 60.0


class Patience:
    """The wait for one process."""

    def __init__(self, name: str, pid: int, log: Path) -> None:
        """Begin to wait."""
        self._limit_s, self._stall_s = _setting(LIMIT, LIMIT_S), _setting(STALL, STALL_S)
        self._name, self._pid, self._log = name, pid, log
        self._began = self._moved = self._looked = time.monotonic()
        self._seen: object = self._marks()

    def require(self) -> None:
        """Return if it is worth waiting on.

        Raises:
            StackError: The process takes too long, or makes no progress.
        """
        now = time.monotonic()
        if now - self._began > self._limit_s:
            raise StackError(f"{self._name} was not ready in {self._limit_s:.0f} s. {_advice(LIMIT)}")
        if now - self._looked > LOOK_S:
            self._looked = now
            if (seen := self._marks()) != self._seen:
                self._seen, self._moved = seen, now
        if now - self._moved > self._stall_s:
            raise StackError(
                f"{self._name} was not ready and made no progress in {self._stall_s:.0f} s. {_advice(STALL)}"
            )

    def _marks(self) -> tuple[float, int]:
        try:
            written = os.stat(self._log).st_size
        except OSError:
            written = 0
        return processor_time(self._pid), written


def _setting(name: str, default: float) -> float:
    # The stack has checked it: here, no settings library is loaded.
    return float(os.environ.get(name) or default)


def _advice(setting: str) -> str:
    return f"If the machine is that slow, raise {setting}."
