"""Asks a process over HTTP whether it answers."""

from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit


def is_ready(url: str, path: str = "/ready", *, timeout_s: float = 1.0) -> bool:
    """Return whether the process at `url` reports that it is ready, or only alive (path `/health`)."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=timeout_s)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
