"""Waits until a process is ready, by polling it."""

from pathlib import Path
from urllib.parse import urlsplit

from .programs.children import await_start
from .programs.probes import is_ready
from .stores.valkey import valkey_answers
from .workers import Kept

DATABASE_TIMEOUT_S = 2


def await_ready(worker: Kept, url: str) -> None:
    """Wait until the worker answers `GET /ready` with 200, as long as it makes progress.

    Raises:
        StackError: The worker exited or took too long; the message shows the end of its log.
    """
    await_start(worker, lambda: is_ready(url))


def answers(url: str) -> bool:
    """Return whether the process or database at one of a stack's addresses responds."""
    match urlsplit(url).scheme:
        case "postgresql":
            return _database_answers(url)
        case "unix":
            return valkey_answers(Path(urlsplit(url).path))
        case _:
            return is_ready(url)


def _database_answers(url: str) -> bool:
    import psycopg

    try:
        psycopg.connect(url, connect_timeout=DATABASE_TIMEOUT_S).close()
    except psycopg.OperationalError:
        return False
    return True
