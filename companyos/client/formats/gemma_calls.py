"""Reads the arguments of a call as Gemma writes them: keys without quotes, and texts between marks of their own."""

from __future__ import annotations

import json
import re
from typing import Any, Final

#: The mark that closes a call, or that of the turn's end where a server stopped at the first and left it out.
_END: Final = re.compile(r"<tool_call\|>|<end_function_call>|<\|(?!\"\|>)|<end_of_turn>|<turn\|>|</s>|\Z")
_PIECE: Final = re.compile(
    r"(?P<quote><\|\"\|>|<escape>)(?P<text>.*?)(?P=quote)|(?P<key>[^\W\d]\w*)(?=\s*:)", re.DOTALL
)


def gemma_arguments(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """Return the arguments that begin at `start`, and where the call ends; None if they are no object."""
    end = _END.search(text, start)
    assert end is not None  # the text has an end
    try:
        found = json.loads(_PIECE.sub(_in_json, text[start : end.start()]), strict=False)
    except (ValueError, RecursionError):
        return None, start
    return (found if isinstance(found, dict) else None), end.end()


def _in_json(piece: re.Match[str]) -> str:
    return json.dumps(piece["text"] if piece["key"] is None else piece["key"])
