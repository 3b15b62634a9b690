"""Heads of requests that are refused at both APIs before any route: they have two readings, or none."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl

from starlette.responses import Response
from starlette.types import Scope

from companyos.chassis.web.requests import NOT_UTF8, is_text

from ...protocol.strict_json import repeated
from .answers import problem

#: Headers that decide who may call, whether a call is a repeat, or how it is read. Programs on the way disagree about
#: which of two counts.
SINGLE: Final = (b"host", b"origin", b"authorization", b"idempotency-key", b"mcp-protocol-version")
#: Codings under which a body is what it says; by header.
PLAIN: Final = {b"content-encoding": (b"", b"identity"), b"transfer-encoding": (b"", b"chunked")}


def repeated_name(query: str) -> str | None:
    """Return a name that a query or a form gives more than one value, or None."""
    pairs = parse_qsl(query, keep_blank_values=True, errors="replace") if "&" in query else ()
    return repeated(name for name, _ in pairs)


def unreadable_head(scope: Scope) -> Response | None:
    """Return the refusal of a request by its URL and headers, or None."""
    if "\0" in scope["path"] or b"%00" in scope["query_string"]:
        return problem(400, "nul_character", "A URL must not hold the character U+0000.")
    if not (is_text(scope["query_string"]) and is_text(scope.get("raw_path") or b"")):
        return problem(400, "url_not_utf8", NOT_UTF8)
    names = [name for name, _ in scope["headers"]]
    version = scope.get("http_version")
    if b"host" not in names and version == "1.1":
        return problem(400, "host_missing", "HTTP/1.1 requires the header host (RFC 9112, section 3.2).")
    if b"transfer-encoding" in names and version == "1.0":
        return problem(400, "body_unframed", "HTTP/1.0 has no chunks (RFC 9112, section 6.1): send HTTP/1.1.")
    for name in SINGLE:
        if names.count(name) > 1:
            return problem(400, "header_repeated", f"Send the header {name.decode()} once.")
    for name, value in scope["headers"]:
        if name in PLAIN and value.strip().lower() not in PLAIN[name]:
            read = PLAIN[name][-1].decode()
            detail = f"Send the body uncompressed: of {name.decode()}, only {read} is read."
            return problem(415, "body_encoded", detail)
    return None
