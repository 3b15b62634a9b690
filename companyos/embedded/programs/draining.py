"""Asks a stack over its trainer API to drain, and how many of its episodes are still open."""

from __future__ import annotations

from typing import Any

TIMEOUT_S = 5.0


def drain(url: str, token: str | None, seconds: float) -> int:
    """Have a stack take no resets for so many seconds, 0 for taking them again; return its open episodes.

    Raises:
        OSError: The stack does not answer, or refuses.
    """
    return _open_episodes("PUT", f"{url}/cell/drain", token, {"seconds": seconds})


def open_episodes(url: str, token: str | None) -> int:
    """Return the number of open episodes; raises as `drain` does."""
    return _open_episodes("GET", f"{url}/cell", token)


def _open_episodes(method: str, url: str, token: str | None, body: Any = None) -> int:
    import httpx

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        answer = httpx.request(method, url, json=body, headers=headers, timeout=TIMEOUT_S)
        answer.raise_for_status()
        return int(answer.json()["open_episodes"])
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError) as failure:
        raise OSError(f"{url} did not answer: {failure}") from failure
