"""Folders with short paths for Unix sockets, whose full path is limited to about a hundred bytes."""

import os
import sys
from pathlib import Path

from ..errors import StackError
from .identity import private_folder, short_hash

MAX_PATH = 103 if sys.platform == "darwin" else 107
LONGEST_NAME = "/.s.PGSQL.65535"


def socket_folder(home: Path) -> Path:
    """Return the private socket folder of this home, in XDG_RUNTIME_DIR or /tmp, never in the home itself.

    Raises:
        StackError: The path is too long even there.
    """
    folder = socket_root() / f"cos-{short_hash(home)}"
    if len(os.fsencode(folder)) + len(LONGEST_NAME) > MAX_PATH:
        raise StackError(f"{folder} is too long for a Unix socket. Set XDG_RUNTIME_DIR to a shorter folder.")
    return folder


def socket_root() -> Path:
    """Return the parent of all socket folders."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.access(runtime, os.W_OK):
        return Path(runtime)
    return Path("/tmp")  # noqa: S108 - the folder below it is private and checked


def open_socket_folder(home: Path, *, owner: int) -> Path:
    """Create the folder of `socket_folder` for `owner` and return it."""
    return private_folder(socket_folder(home), owner=owner)
