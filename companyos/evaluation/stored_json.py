"""JSON in the files of a run: a flaw is named with its file and line, what is wrong, and what would make it right."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import orjson
from pydantic import ValidationError

Read = TypeVar("Read")

#: What to do about a damaged line of an episode.
PLAY_AGAIN: Final = (
    "Restore the file, or delete the line and repeat the command of the run, which plays the episode again"
)


class FolderUnusable(ValueError):
    """The folder contains no run, or cannot be read or written. The message says what to do."""


def bytes_of(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        FolderUnusable: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as failure:
        raise FolderUnusable(f"{path} cannot be read: {failure.strerror}") from None


def read_lines(
    path: Path, data: bytes, read: Callable[[bytes], Read], *, remedy: str = PLAY_AGAIN
) -> list[Read]:
    """Return what the lines of a file say; empty lines say nothing.

    Args:
        path: The file, for the message.
        data: Its content.
        read: Read one line.
        remedy: What to do about a damaged one.

    Raises:
        FolderUnusable: A line is damaged.
    """
    lines = enumerate(data.splitlines(), start=1)
    return [
        _read_or_raise(f"{path}, line {number}", line, read, remedy) for number, line in lines if line.strip()
    ]


def read_file(path: Path, *, remedy: str) -> dict[str, Any]:
    """Return the object in a file of JSON.

    Raises:
        FolderUnusable: The file cannot be read, or holds no object.
    """
    return _read_or_raise(str(path), bytes_of(path), object_in, remedy)


def object_in(text: bytes) -> dict[str, Any]:
    """Return the object in a text.

    Raises:
        ValueError: It is not JSON.
        TypeError: It is not an object.
    """
    value = orjson.loads(text)
    if not isinstance(value, dict):
        raise TypeError(f"is no JSON object but {orjson.dumps(value).decode()[:40]}")
    return value


def _read_or_raise(place: str, text: bytes, read: Callable[[bytes], Read], remedy: str) -> Read:
    try:
        return read(text)
    except (ValueError, KeyError, TypeError) as failure:
        raise FolderUnusable(f"{place} {flaw_of(failure)}. {remedy}") from None


def flaw_of(failure: Exception) -> str:
    """Return what is wrong with a text, which could not be read because of this failure."""
    match failure:
        case orjson.JSONDecodeError():
            return f"is not JSON: {failure.msg} at character {failure.colno}"
        case KeyError():
            return f"lacks the field {failure.args[0]!r}"
        case ValidationError():
            found = failure.errors()[0]
            if found["type"] == "missing":
                return f"lacks the field {found['loc'][-1]!r}"
            return f"has a wrong {'.'.join(map(str, found['loc']))!r}: {found['msg']}"
    return str(failure)
