"""The `logs` command: print past log lines and follow new ones."""

import os
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from companyos.embedded.errors import Misuse, StackError
from companyos.embedded.home import Home

from .output import echo

POLL_S = 0.2


def show(home_path: Path | None, name: str | None, *, lines: int, follow: bool) -> None:
    """Print the last lines of one log or all; with `follow`, print new lines until Ctrl-C."""
    logs = chosen_logs(Home.at(home_path), name)
    width = max(len(log.stem) for log in logs)
    opened = [(log.stem.ljust(width), log.open("rb")) for log in logs]
    for title, file in opened:
        _print(title, deque(file, maxlen=lines))
    try:
        while follow:
            for title, file in opened:
                _print(title, _new_lines(file))
            time.sleep(POLL_S)
    except KeyboardInterrupt:
        return


def chosen_logs(home: Home, name: str | None) -> list[Path]:
    """Return the named log, or all logs.

    Raises:
        StackError: The home has no logs.
        Misuse: No log has this name.
    """
    found = sorted((home.path / "logs").glob("*.log"))
    if not found:
        raise StackError(f"There are no logs in {home.path}. Start a stack with `companyos up`.")
    chosen = [log for log in found if name in (None, log.stem)]
    if not chosen:
        raise Misuse(f"There is no log of {name}. Choose one of: {', '.join(log.stem for log in found)}.")
    return chosen


def _new_lines(file: BinaryIO) -> BinaryIO:
    # A log that was set aside begins anew.
    if os.fstat(file.fileno()).st_size < file.tell():
        file.seek(0)
    return file


def _print(title: str, lines: Iterable[bytes]) -> None:
    for line in lines:
        echo(f"{title} | {line.decode(errors='replace').rstrip()}")
