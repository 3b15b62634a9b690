"""Packing of step records for storage: deflated with a preset dictionary of their common text.

PostgreSQL compresses no row below two kilobytes, and most of a record's content is the same in every record. With a
known text as the dictionary, only the differences are stored: a fifth of a record, for some 30 µs per step.
"""

from __future__ import annotations

import zlib
from typing import Final

from .known_text import KNOWN

#: The first byte of records packed today. Stored text whose first byte is none of `KNOWN` is an unpacked record.
_MARK: Final = b"\x02"
_LEVEL: Final = 3
_RAW: Final = -zlib.MAX_WBITS


def packed(record: bytes) -> bytes:
    """Return a record, given as JSON, in its stored form."""
    packing = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW, zdict=KNOWN[_MARK])
    return _MARK + packing.compress(record) + packing.flush()


def unpacked(stored: bytes) -> bytes:
    """Return the JSON of a stored record, packed today, earlier or not at all."""
    known = KNOWN.get(stored[:1])
    return stored if known is None else zlib.decompressobj(_RAW, zdict=known).decompress(stored[1:])
