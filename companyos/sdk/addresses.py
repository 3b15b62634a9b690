"""Addresses of servers, in settings and as callers give them: which can be read, and which are of this machine."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from typing import Final
from urllib.parse import SplitResult, urlsplit

_HTTP: Final = ("http", "https")


def readable_parts(url: str) -> SplitResult | None:
    """Return the parts of a URL, or None if its host or its port cannot be read."""
    try:
        parts = urlsplit(url)
        (parts.hostname or "").encode("idna")
        return None if parts.port == 0 else parts
    except ValueError:
        return None


def address_flaw(url: str, schemes: Collection[str] = _HTTP) -> str | None:
    """Return why no connection can be attempted to a URL, as what follows its name in a sentence, or None."""
    parts = readable_parts(url)
    if parts is None:
        return "has no host or port that can be read"
    if parts.scheme not in schemes or not url.lower().startswith(f"{parts.scheme}://"):
        return "does not begin with http:// or https://"
    if not parts.hostname:
        return "names no host"
    if not url.isprintable() or " " in url:
        return "has a space or an unprintable character"
    return "has a query or a fragment" if parts.query or parts.fragment else None


def is_loopback(url: str) -> bool:
    """Return whether a URL is of this machine."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified
