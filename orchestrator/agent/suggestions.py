"""Names of tools as models write them: with prefixes that can only mean one tool, or misspelled."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

MOST = 3
#: What clients and models put between the names of a server or of a group of functions and that of a tool.
_SEPARATORS = re.compile(r"[.:/-]|__|(?<=companyos)_")
_CUTOFF = 0.6
#: Longer names are compared by their beginning, because comparing takes quadratic time.
_LONGEST = 100


def undecorated(name: str, known: Collection[str], services: Collection[str]) -> str:
    """Return the tool that a name with prefixes means, or the name itself if that is not exactly one.

    `functions.finish`, `companyos:finish` and `mcp__companyos__finish` mean `finish`, and `ticketdesk.get_ticket` means
    `ticketdesk_get_ticket`, and so do names between spaces. `ticketdesk.finish` means nothing, because a service has
    tools of its own.

    Args:
        name: The name.
        known: The names of all tools.
        services: The names of the services.
    """
    if name in known:
        return name
    parts = _SEPARATORS.split(name.strip())
    found = set()
    for start in range(len(parts)):
        found |= {"_".join(parts[start:])}.intersection(known)
        if parts[start] in services:
            break
    return found.pop() if len(found) == 1 else name


def suggested(name: str, known: Iterable[str]) -> list[str]:
    """Return the closest known names, best first; none if nothing is close.

    A name that is spelled differently, or lacks its beginning or end, is closest to the complete name.
    """
    by_folded: dict[str, str] = {}
    for one in known:
        by_folded.setdefault(_fold_name(one), one)
    wanted = _fold_name(name[:_LONGEST])
    if wanted in by_folded:
        return [by_folded[wanted]]
    components = sorted(
        one for one in by_folded if wanted and (one.startswith(wanted) or one.endswith(f"_{wanted}"))
    )
    near = components or get_close_matches(wanted, sorted(by_folded), n=MOST, cutoff=_CUTOFF)
    return [by_folded[folded] for folded in near[:MOST]]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question with the likely names, preceded by a space; empty if nothing is close."""
    return question(suggested(name, known))


def question(names: Sequence[str]) -> str:
    """Return names as a question, preceded by a space; empty without names."""
    if not names:
        return ""
    *others, last = names
    return f" Did you mean {', '.join(others)} or {last}?" if others else f" Did you mean {last}?"


def _fold_name(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name.strip().lower())
