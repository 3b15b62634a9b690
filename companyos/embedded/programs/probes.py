"""Asks a process over HTTP whether it answers."""

from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

OK = 200


def is_ready(url: str, *, timeout_s: float = 1.0) -> bool:
    """Return whether the process at `url` reports that it is ready."""
    return _status_of(url, "/ready", timeout_s) == OK


def is_alive(url: str, *, timeout_s: float = 1.0) -> bool:
    """Return whether the process at `url` answers, also if it says that it still waits for something."""
    return _status_of(url, "/health", timeout_s) is not None


def _status_of(url: str, path: str, timeout_s: float) -> int | None:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=timeout_s)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()
