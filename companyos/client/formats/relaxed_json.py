"""Reads an object in a notation near JSON, as models write it: JSON5, Python's, Gemma's, or with typographic quotes.

The pieces of the text are written as JSON, and what is no JSON then has no reading here. Nothing is completed.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

#: Longer objects are none; reading many of them to their end would take too long.
_LONGEST: Final = 100_000
#: Deeper than any action that the server accepts.
_DEEPEST: Final = 32
_GAP: Final = r"(?:\s|//[^\n]*|\#[^\n]*|/\*[^*]{0,2000}\*/)"
_PIECE: Final = re.compile(
    rf"""(?P<left_out>{_GAP}++|,(?={_GAP}*+[}}\]]))
    |(?P<raw>(?P<quote><\|"\|>|<escape>)(?P<text>.*?)(?P=quote))
    |"(?P<double>(?:[^"\\]|\\.)*+)"|'(?P<single>(?:[^'\\]|\\.)*+)'
    |[“„](?P<curly>[^“”„]*)[”“]|‘(?P<half_curly>[^‘’]*)’
    |(?P<key>[^\W\d][\w$-]*+)(?=\s*:)
    |(?P<word>true|false|null|True|False|None)\b
    |(?P<number>-?\d[\d.]*+(?:[eE][+-]?\d+)?)(?![\w.])
    |(?P<mark>[{{}}\[\],:])""",
    re.VERBOSE | re.DOTALL,
)
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
_DEPTH: Final = {"{": 1, "[": 1, "}": -1, "]": -1}
#: What is written otherwise within the quotes of JSON: an escaped apostrophe, and a quote that is not escaped.
_INNER: Final = re.compile(r"\\.|\"", re.DOTALL)
_IN_JSON: Final = {"\\'": "'", '"': '\\"'}


class KeyRepeated(ValueError):
    """An object has a key twice, so it has two readings."""


def dict_of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these keys and values.

    Raises:
        KeyRepeated: A key is there twice.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        raise KeyRepeated
    return found


def relaxed_object(text: str, start: int) -> tuple[dict[str, Any], int] | None:
    """Return the object that begins at `start`, and its end; None if it has no reading, or more than one."""
    written: list[str] = []
    depth, position = 0, start
    while piece := _PIECE.match(text, position, start + _LONGEST):
        position = piece.end()
        written.append(_json_of(piece))
        depth += _DEPTH.get(piece[0], 0)
        if not 0 < depth <= _DEEPEST:
            break
    if depth != 0 or not written:
        return None
    try:
        found = json.loads("".join(written), strict=False, object_pairs_hook=dict_of_pairs)
    except ValueError:
        return None
    return (found, position) if isinstance(found, dict) else None


def whole_object(text: str) -> dict[str, Any] | None:
    """Return the object that a text is, whose end may have more braces than were opened; None if it is none."""
    found = relaxed_object(text, len(text) - len(text.lstrip()))
    return found[0] if found and not text[found[1] :].strip("} \n\t\r") else None


def relaxed_arguments(text: str) -> str | dict[str, Any]:
    """Return the object that the text of arguments is in a notation near JSON; the text if it is JSON, or neither."""
    try:
        json.loads(text)
    except RecursionError:
        return text
    except ValueError:
        found = whole_object(text)
        return text if found is None else found
    return text


def _json_of(piece: re.Match[str]) -> str:
    match piece.lastgroup:
        case "left_out":
            return " "
        case "raw":
            return json.dumps(piece["text"])
        case "double" | "single" | "curly" | "half_curly" as quoted:
            return '"' + _INNER.sub(lambda inner: _IN_JSON.get(inner[0], inner[0]), piece[quoted]) + '"'
        case "key":
            return json.dumps(piece["key"])
    return _WORDS.get(piece[0], piece[0])
