"""The rules of documents: their statuses, the sections of a Markdown text, and the line that a search shows.

Everything here is pure.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_HEADING: Final = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*")
_WORD: Final = re.compile(r"\w+")
#: Words are compared by their first letters, so that `approvals` finds `approved`.
_STEM: Final = 5
_SNIPPET: Final = 200


class DocumentStatus(StrEnum):
    """Whether a document applies."""

    DRAFT = "draft"
    IN_FORCE = "in_force"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True)
class Section:
    """A heading of a text with everything below it, including lower headings."""

    name: str
    text: str


def sections(body: str) -> list[Section]:
    """Return the sections of a Markdown text, in order; if names repeat, only the first is returned."""
    lines = body.splitlines()
    headings = [(at, *found) for at, line in enumerate(lines) if (found := _heading(line))]
    named: dict[str, Section] = {}
    for number, (at, level, name) in enumerate(headings):
        later = (other for other, depth, _ in headings[number + 1 :] if depth <= level)
        end = next(later, len(lines))
        named.setdefault(name, Section(name, "\n".join(lines[at:end]).strip()))
    return list(named.values())


def snippet(body: str, q: str) -> str:
    """Return the line of a text that contains the most words of a query, cut to 200 characters."""
    wanted = _stems(q)
    lines = [line.strip() for line in body.splitlines() if line.strip() and not _heading(line)]
    best = max(lines, key=lambda line: len(wanted & _stems(line)), default="")
    return best if len(best) <= _SNIPPET else _around(best, wanted)


def _heading(line: str) -> tuple[int, str] | None:
    found = _HEADING.fullmatch(line)
    return (len(found[1]), found[2]) if found else None


def _around(line: str, wanted: set[str]) -> str:
    """Return the part of a long line that begins shortly before the first wanted word."""
    first = next((word.start() for word in _WORD.finditer(line) if _stem(word[0]) in wanted), 0)
    start = min(max(0, first - _SNIPPET // 4), len(line) - _SNIPPET)
    return line[start : start + _SNIPPET].strip()


def _stems(text: str) -> set[str]:
    return {_stem(word) for word in _WORD.findall(text)}


def _stem(word: str) -> str:
    return word.casefold()[:_STEM]
