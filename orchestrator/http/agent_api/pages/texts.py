"""Texts as people read them: the Markdown that documents use, with tools and ids as links, and dates as dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

from .instants import INSTANT, written_instant

#: What inside a line is more than text: code, strong words, instants, and words that may be ids or tools. Those in
#: quotes are examples, or what was asked for in vain.
_MARKED: Final = re.compile(
    r"`(?P<code>[^`\n]+)`|\*\*(?P<strong>[^*\n]+)\*\*|"
    rf"(?P<instant>(?<![\w'\"]){INSTANT})|(?P<word>(?<![\w'\"])[A-Za-z][\w-]*[_-]\w+)"
)
_HEADING: Final = re.compile(r"(#{1,4}) +(?P<text>.+)")
_ITEM: Final = re.compile(r"[-*] +(?P<text>.+)")
_RULE: Final = re.compile(r"\|[-|: ]+\|")


class BlockKind(StrEnum):
    """What the lines of a block are."""

    HEADING = "heading"
    LIST = "list"
    TABLE = "table"
    PARAGRAPH = "paragraph"
    BREAK = "break"


@dataclass(frozen=True)
class Block:
    """Lines of a text that belong together, without their marks."""

    kind: BlockKind
    lines: tuple[str, ...]

    @property
    def rows(self) -> list[list[str]]:
        """The cells of a table's rows, the first of which are its headings."""
        rows = [line for line in self.lines if not _RULE.fullmatch(line.strip())]
        return [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]


@dataclass(frozen=True)
class Span:
    """A part of a line.

    Attributes:
        style: `code`, `strong`, `instant` or nothing.
        address: The page it leads to, if any.
    """

    text: str
    style: str = ""
    address: str | None = None


def blocks_of(text: str) -> list[Block]:
    """Return the blocks of a text; nothing in it is lost but marks and blank lines."""
    lines = text.replace("\r\n", "\n").split("\n")
    return [
        Block(kind, tuple(_without_mark(line) for line in group))
        for kind, group in groupby(lines, key=_kind_of)
        if kind is not BlockKind.BREAK
    ]


def spans_of(line: str, address_of: Callable[[str], str | None]) -> Iterator[Span]:
    """Yield the parts of a line.

    Args:
        line: The line.
        address_of: Returns the page that a word leads to, or None.
    """
    end = 0
    for found in _MARKED.finditer(line):
        style, text = str(found.lastgroup), found[str(found.lastgroup)]
        address = address_of(text) if style in ("code", "word") else None
        if (style == "word" and address is None) or (style == "instant" and written_instant(text) is None):
            continue
        yield Span(line[end : found.start()])
        yield Span(text, "" if style == "word" else style, address)
        end = found.end()
    yield Span(line[end:])


def _kind_of(line: str) -> BlockKind:
    if not line.strip():
        return BlockKind.BREAK
    if _HEADING.fullmatch(line):
        return BlockKind.HEADING
    if _ITEM.fullmatch(line.strip()):
        return BlockKind.LIST
    return BlockKind.TABLE if line.lstrip().startswith("|") else BlockKind.PARAGRAPH


def _without_mark(line: str) -> str:
    found = _HEADING.fullmatch(line) or _ITEM.fullmatch(line.strip())
    return found["text"] if found else line
