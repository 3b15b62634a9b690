"""Waits until a process is ready, by polling it."""

import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from .errors import StackError
from .programs.children import POLL_S, tail
from .stores.valkey import valkey_answers
from .workers import Kept

READY_TIMEOUT_S = 30.0
DATABASE_TIMEOUT_S = 2


def await_ready(worker: Kept, url: str) -> None:
    """Wait until the worker answers `GET /ready` with 200.

    Raises:
        StackError: The worker exited or timed out; the message shows the end of its log.
    """
    deadline = time.monotonic() + READY_TIMEOUT_S
    while not is_ready(url):
        if not worker.alive():
            raise StackError(f"{worker.name} {worker.how_it_ended()} at start.\n{tail(worker.log)}")
        if time.monotonic() > deadline:
            raise StackError(f"{worker.name} was not ready in {READY_TIMEOUT_S:.0f} s.\n{tail(worker.log)}")
        time.sleep(POLL_S)


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


def is_ready(url: str, *, path: str = "/ready", timeout_s: float = 1.0) -> bool:
    """Return whether the process at `url` reports that it is ready, or only alive (`path="/health"`)."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=timeout_s)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
