"""HTTP requests byte for byte as given: no client library tidies a path up on the way."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from tests.patience import PATIENCE_S

SWITCHING = 101
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@dataclass(frozen=True)
class RawAnswer:
    """A status, the code of its problem document (empty if it is none), and the body."""

    status: int
    code: str
    body: bytes


class RawClient:
    """A kept connection to one listener."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "", parts.port or 80)
        self._connection = HTTPConnection(*self._address, timeout=PATIENCE_S)

    def ask(
        self, method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes = b""
    ) -> RawAnswer:
        """Send one request, on a new connection if the last request ended the old one."""
        headers = {name: value.encode("latin-1") for name, value in (headers or {}).items()}
        try:
            self._connection.request(method, target, body or None, headers)
            response = self._connection.getresponse()
        except (HTTPException, ConnectionError):
            self.close()
            self._connection.request(method, target, body or None, headers)
            response = self._connection.getresponse()
        content = b"" if response.status == SWITCHING else response.read()
        if response.status in (SWITCHING, 400):
            response.close()
            self.close()
        return RawAnswer(response.status, _code(content), content)

    def open_socket(self, target: str, headers: Mapping[str, str] | None = None) -> RawAnswer:
        """Ask for a WebSocket, and close it again."""
        return self.ask("GET", target, {**UPGRADE, **(headers or {})})

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        self._connection.close()
        self._connection = HTTPConnection(*self._address, timeout=PATIENCE_S)


def tricks(path: str) -> Iterator[str]:
    """Yield spellings of a path that a careless server takes for the path itself."""
    yield from (f"/{path}", f"/.{path}", f"/x/..{path}", f"/%2e{path}", f"/x/%2e%2e{path}", f"/%2f{path[1:]}")
    yield from (f"/health/..{path}", f"/health/..;{path}", f"/health%2f..{path}", f"/ready/%2e%2e{path}")
    yield from (f"{path}/", f"{path}/.", f"{path}//", f"{path}%2f", f"{path};x=1", f"{path}%20", f"{path}%23")
    yield from (path.upper(), path.title(), path.replace("/", "//"), path.replace("/", "%2f"))
    yield from ("/" + path[1:].replace("/", "%2F"), path.replace("/", "\\"), f"http://localhost{path}")
    yield from (f"/?{path}", f"/health?{path}", f"/health#{path}", f"/%252f{path[1:]}", f"/%c0%af{path[1:]}")


def _code(content: bytes) -> str:
    try:
        document = json.loads(content)
    except ValueError:
        return ""
    return str(document.get("type", "")) if isinstance(document, dict) else ""
