"""Errors of the embedded stack. Every message says how to fix the problem."""

import errno
import shutil
from pathlib import Path

#: Disk space that a stack needs for several days of work.
LEAST_FREE_MB = 500
#: Free bytes below which not even a log line or a status can be relied on.
LEAST_FREE = 2**20
FULL = {errno.ENOSPC, errno.EDQUOT}
#: What a place cannot be, by the error that says so.
UNUSABLE = {**dict.fromkeys((*FULL, errno.EROFS), "written"), errno.ENAMETOOLONG: "named so"}
FULL_MESSAGES = ("No space left on device", "Disk quota exceeded")


class StackError(Exception):
    """The embedded stack cannot do what was asked. The message says what to do."""

    #: Exit code of the command line.
    exit_code = 1


class Misuse(StackError):
    """An argument, option or setting is invalid. The message names it and the allowed values."""

    exit_code = 2


class AlreadyRunning(StackError):
    """Another process owns this home directory."""


class DiskFull(StackError):
    """The disk of a home is full."""

    def __init__(self, folder: Path) -> None:
        """Build the message from the folder and the free space on its disk."""
        nearest = next(one for one in (folder, *folder.parents) if one.exists())
        free_mb = shutil.disk_usage(nearest).free / 2**20
        super().__init__(
            f"The disk of {folder} is full: {free_mb:.1f} MB are free, and {LEAST_FREE_MB} are needed."
            " Free some space, or choose another --home."
        )


def full_disk(folder: Path) -> str:
    """Return a sentence if so little space is free that nothing can be written there, or else an empty string."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return ""
    return str(DiskFull(folder)) if free < LEAST_FREE else ""


def is_disk_full(failure: BaseException) -> bool:
    """Return whether an exception, or the program output that it quotes, reports a full disk."""
    number = failure.errno if isinstance(failure, OSError) else None
    return number in FULL or any(message in str(failure) for message in FULL_MESSAGES)


def unusable_place(failure: OSError) -> str | None:
    """Return what is wrong with a place that has no room, is read-only or too long a path; None for another failure."""
    if failure.errno is None or (lacking := UNUSABLE.get(failure.errno)) is None:
        return None
    return f"{failure.filename or 'the output'} cannot be {lacking}: {failure.strerror}"
