"""The file format: gzipped lines of JSON in a fixed order, ending with a digest of all lines before.

    {"format": "companyos.snapshot", "version": 1, "services": {…}, "snapshot": {…}}
    {"service": …, "table": …, "row": {…, "deleted": false}}     by service, table and id
    {"record": {…}}                                              by step, from 1
    {"digest": "…"}

The same snapshot gives the same bytes on every stack. The digest detects damage but not forgery, because
anyone can compute it, so callers validate what they read.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from ...protocol.trace import canonical, stored
from .models import FORMAT, VERSION, Header, RecordLine, RowLine, StepRecord
from .refusals import ArchiveDamaged, ArchiveFormatUnknown, ArchiveInvalid, ArchiveTooLarge

MIB = 1024 * 1024
MOST_PACKED = 16 * MIB
MOST_UNPACKED = 64 * MIB
MAX_DEPTH = 64
#: zlib's value for gzip with the largest window.
GZIP = 31

Line = TypeVar("Line", bound=BaseModel)


@dataclass(frozen=True)
class Archive:
    """The content of a file.

    Attributes:
        rows: The rows by service, table and id.
        records: The step records; the first is of step 1.
    """

    header: Header
    rows: list[RowLine]
    records: list[dict[str, Any]]


class Writer:
    """Writes lines into a file.

    Every method raises `ArchiveTooLarge` if the file exceeds what any stack accepts.
    """

    def __init__(self) -> None:
        self._digest = blake2b(digest_size=16)
        self._packer = zlib.compressobj(wbits=GZIP)
        self._packed: list[bytes] = []
        self._size = 0

    def add(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Add lines in order."""
        for line in lines:
            # A record keeps its key order, so that a repeated step gets the same answer on another stack.
            self._put((stored(line) if "record" in line else canonical(line)) + b"\n")

    def finish(self) -> bytes:
        """Add the digest and return the file."""
        self.add([{"digest": self._digest.hexdigest()}])
        self._packed.append(self._packer.flush())
        data = b"".join(self._packed)
        if len(data) > MOST_PACKED:
            raise _too_large("packed", MOST_PACKED)
        return data

    def _put(self, line: bytes) -> None:
        self._size += len(line)
        if self._size > MOST_UNPACKED:
            raise _too_large("unpacked", MOST_UNPACKED)
        self._digest.update(line)
        self._packed.append(self._packer.compress(line))


def read_archive(data: bytes) -> Archive:
    """Return the content of a file, checking the shape and the order of each line.

    Raises:
        ArchiveDamaged: The file was altered or cut off.
        ArchiveFormatUnknown: It has another format or version.
        ArchiveInvalid: A line violates the format.
        ArchiveTooLarge: It exceeds the limits.
    """
    first, *others = _lines(data)
    _refuse_other_format(first)
    _refuse_altered([first, *others])
    header = _read(Header, first)
    rows = [_read(RowLine, line) for line in others[:-1] if not _is_record(line)]
    records = [_read(RecordLine, line).record for line in others[:-1] if _is_record(line)]
    if [*map(_is_record, others[:-1])] != [False] * len(rows) + [True] * len(records):
        raise ArchiveInvalid("The archive has rows after its records.")
    _refuse_disorder(row.row_key for row in rows)
    _refuse_other_steps(header, records)
    return Archive(header, rows, records)


def _lines(data: bytes) -> list[bytes]:
    *lines, rest = _decompress(data).split(b"\n")
    if rest or len(lines) < 2:
        raise ArchiveDamaged("The archive is cut off. Export the snapshot again.")
    return lines


def _decompress(data: bytes) -> bytes:
    if len(data) > MOST_PACKED:
        raise _too_large("packed", MOST_PACKED)
    unpacker = zlib.decompressobj(GZIP)
    try:
        text = unpacker.decompress(data, MOST_UNPACKED + 1)
    except zlib.error as error:
        raise ArchiveDamaged(f"The file is no gzip file, or is damaged ({error}).") from None
    if len(text) > MOST_UNPACKED:
        raise _too_large("unpacked", MOST_UNPACKED)
    if not unpacker.eof or unpacker.unused_data:
        raise ArchiveDamaged("The archive is cut off, or something follows it. Export the snapshot again.")
    return text


def _refuse_other_format(first: bytes) -> None:
    try:
        line = orjson.loads(first)
    except orjson.JSONDecodeError:
        raise ArchiveFormatUnknown("The file is no archive of a snapshot.") from None
    if not isinstance(line, dict) or line.get("format") != FORMAT:
        raise ArchiveFormatUnknown("The file is no archive of a snapshot.")
    if type(line.get("version")) is not int or line["version"] != VERSION:
        detail = f"The archive is of version {str(line.get('version'))[:20]} of its format; this stack reads {VERSION}."
        raise ArchiveFormatUnknown(detail)


def _refuse_altered(lines: list[bytes]) -> None:
    digest = blake2b(digest_size=16)
    for line in lines[:-1]:
        digest.update(line + b"\n")
    if lines[-1] != canonical({"digest": digest.hexdigest()}):
        raise ArchiveDamaged("The archive is not as it was written: its digest differs. Export it again.")


def _is_record(line: bytes) -> bool:
    return line.startswith(b'{"record":')


def _read(kind: type[Line], line: bytes) -> Line:
    try:
        value = orjson.loads(line)
        if _depth_exceeds(value, MAX_DEPTH):
            raise ArchiveInvalid(f"A line of the archive is nested deeper than {MAX_DEPTH} levels.")
        if isinstance(value, dict) and "record" in value:
            StepRecord.model_validate(value["record"])
        # In JSON mode Pydantic takes an enum's value; in Python mode, only its member.
        return kind.model_validate_json(line) if kind is Header else kind.model_validate(value)
    except orjson.JSONDecodeError as error:
        raise ArchiveInvalid(f"A line of the archive is not JSON: {error.msg}.") from None
    except ValidationError as error:
        flaw = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, flaw["loc"]))
        raise ArchiveInvalid(
            f"A line of the archive does not have the format: {where}: {flaw['msg']}."
        ) from None


def _refuse_disorder(row_keys: Iterator[tuple[str, str, str]]) -> None:
    before = ("", "", "")
    for row_key in row_keys:
        if row_key <= before:
            raise ArchiveInvalid(f"The archive's rows are not in order, or one occurs twice: {row_key}.")
        before = row_key


def _refuse_other_steps(header: Header, records: list[dict[str, Any]]) -> None:
    if [record["step"] for record in records] != list(range(1, header.snapshot.step + 1)):
        raise ArchiveInvalid("The archive does not have exactly one record for each step of the snapshot.")


def _depth_exceeds(value: Any, levels: int) -> bool:
    level = [value]
    for _ in range(levels):
        level = [child for parent in level for child in _children(parent) if isinstance(child, dict | list)]
    return bool(level)


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _too_large(how: str, most: int) -> ArchiveTooLarge:
    return ArchiveTooLarge(f"An archive has at most {most // MIB} MiB {how}; this one has more.")
