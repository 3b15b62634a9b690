"""Waiting until a process is ready, by asking it."""

import time
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from .children import POLL_S, tail
from .errors import StackError
from .workers import Kept

READY_TIMEOUT_S = 30.0


def await_ready(worker: Kept, url: str) -> None:
    """Wait until the worker answers `GET /ready` with 200.

    Raises:
        StackError: It ended or the time is over; the message shows the end of its log.
    """
    deadline = time.monotonic() + READY_TIMEOUT_S
    while not is_ready(url):
        if not worker.alive():
            raise StackError(f"{worker.name} {worker.how_it_ended()} at start.\n{tail(worker.log)}")
        if time.monotonic() > deadline:
            raise StackError(f"{worker.name} was not ready in {READY_TIMEOUT_S:.0f} s.\n{tail(worker.log)}")
        time.sleep(POLL_S)


def is_ready(url: str, *, timeout_s: float = 1.0) -> bool:
    """Tell whether the process at `url` says that it is ready."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=timeout_s)
    try:
        connection.request("GET", "/ready")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
