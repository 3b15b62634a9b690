"""The words of pages: what tools and the task say to programs, said to somebody who clicks and types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ....agent.tools import Tool
from .fields import label_of

#: What programs read, and what pages say instead, in the order in which it is replaced.
_REPLACED: Final[Sequence[tuple[str, str]]] = (
    (r" with a `reason_code` and, as `evidence`, ", " with a reason code and, as evidence, "),
    (r" with an `answer` that ", " with an answer that "),
    (r"\bCall (?=`|\w+_\w)", "Use "),
    (r"\bcall (?=`|\w+_\w)", "use "),
    (r"\bCall (?=again|with)", "Try "),
    (r"\bcall (?=again)", "try "),
    (r"\bcall it once\b", "do so once"),
    (r" is called\.", " has been used."),
    (r"\ba call was refused with `session_expired`", "a page said **Session expired**"),
    (r"\bwhich a call began that was answered with", "which a step began that ended as"),
    (r"the answer to the call\b", "the page that began it"),
    (r", with the same idempotency_key, which does it once;", ", which does it once;"),
    (r" It had no idempotency_key, so read", " Read"),
    (r"\b(this|that|the|a|The|A|your|next|different|other) (?:tool )?call(s?)\b", r"\1 step\2"),
    (r"\b(step|tool)'s result", "result"),
    (r"\bCalls (?=do\b)", "Pages "),
    (r"\bReturns (?!it to\b)", "Shows "),
    (r"\breturns (?=that\b|rows\b)", "shows "),
    (r"\btools(?= of their own| show\b)", "pages"),
    (r"\bthe prefix of its tools\b", "which one"),
    (r"\bThe prefix of its tools\b", "Which one"),
    (r"\banother tool\b", "another page"),
    (r"\b([Ll])eave out\b", r"\1eave empty"),
    (r"\b([Ll])eft out\b", r"\1eft empty"),
    (r"\bGet (?=the\b)", "See "),
)
_PATTERNS: Final = tuple((re.compile(pattern), words) for pattern, words in _REPLACED)


def page_words(text: str) -> str:
    """Return a text that is written for programs in the words of pages."""
    for pattern, words in _PATTERNS:
        text = pattern.sub(words, text)
    return text


def labels_of(tools: Iterable[Tool]) -> Mapping[str, str]:
    """Return what pages call the arguments of tools, the fields of their results, and what these can be."""
    return {name: label_of(name) for tool in tools for name in _names_of(tool)}


def _names_of(tool: Tool) -> Iterator[str]:
    rows = tool.returns.get("properties", {}).get("items", {}).get("items", {})
    for schema in (tool.parameters, tool.returns, rows):
        for name, inner in schema.get("properties", {}).items():
            yield name
            yield from _options_of(inner)


def _options_of(schema: Mapping[str, Any]) -> Iterator[str]:
    for variant in schema.get("anyOf", [schema]):
        yield from (option for option in variant.get("enum", ()) if isinstance(option, str))
