"""Asks a stack over its trainer API to drain, and how many of its episodes are still open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

TIMEOUT_S = 5.0
#: How a stack on this machine is reached, which no proxy reaches.
DIRECTLY: Final[Mapping[str, Any]] = {"trust_env": False}

Route = Mapping[str, Any]


def drain(url: str, token: str | None, seconds: float, route: Route = DIRECTLY) -> int:
    """Have a stack take no resets for so many seconds, 0 for taking them again; return its open episodes.

    Args:
        url: The trainer API.
        token: Its token.
        seconds: How long.
        route: The arguments of an `httpx` client for the way to the stack.

    Raises:
        OSError: The stack does not answer, or refuses.
    """
    return _open_episodes("PUT", f"{url}/cell/drain", token, route, {"seconds": seconds})


def open_episodes(url: str, token: str | None, route: Route = DIRECTLY) -> int:
    """Return the number of open episodes; takes and raises what `drain` does."""
    return _open_episodes("GET", f"{url}/cell", token, route)


def _open_episodes(method: str, url: str, token: str | None, route: Route, body: Any = None) -> int:
    import httpx

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        answer = httpx.request(method, url, json=body, headers=headers, timeout=TIMEOUT_S, **route)
        answer.raise_for_status()
        return int(answer.json()["open_episodes"])
    # ImportError: the way is a SOCKS proxy, for which a library is missing.
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, ImportError) as failure:
        raise OSError(f"{url} did not answer: {failure}") from failure
