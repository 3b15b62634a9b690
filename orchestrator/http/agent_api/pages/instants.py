"""Instants as people write them on pages, and as tools take them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

#: An instant as tools write it.
INSTANT: Final = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
_TYPED: Final = re.compile(INSTANT)
_WRITTEN: Final = ("%d %b %Y, %H:%M", "%d %b %Y, %H:%M:%S")


def written_instant(text: str) -> str | None:
    """Return an instant as people write it, or None if the text is none."""
    if not _TYPED.fullmatch(text):
        return None
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    return f"{when.day} {when:%b %Y, %H:%M}" + (f":{when:%S}" if when.second else "")


def typed_instant(text: str) -> str:
    """Return an instant that people wrote as tools take it: the inverse of `written_instant`; other text stays."""
    for form in _WRITTEN:
        try:
            return f"{datetime.strptime(text.strip(), form).isoformat()}Z"  # noqa: DTZ007
        except ValueError:
            continue
    return text
