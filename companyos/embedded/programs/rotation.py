"""Keeps logs from filling the disk: one that grows beyond a size is set aside, replacing the one before."""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

SUFFIX = ".1"


def rotate(logs: Iterable[Path], most_bytes: int) -> None:
    """Copy every log larger than `most_bytes` to `<name>.1` and empty it; what cannot be copied is left as it is.

    Whoever writes to a log appends to it, so an emptied log goes on from its beginning.
    """
    for log in logs:
        with suppress(OSError):
            if log.stat().st_size > most_bytes:
                _set_aside(log)


def _set_aside(log: Path) -> None:
    copy = log.with_name(log.name + SUFFIX)
    try:
        shutil.copyfile(log, copy)
    except OSError:
        # On a full disk, the copy would only take what is left.
        copy.unlink(missing_ok=True)
        raise
    os.truncate(log, 0)
