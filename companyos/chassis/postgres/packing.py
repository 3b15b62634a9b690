"""Packing of stored bytes: deflated with a preset text of what most of them say.

PostgreSQL compresses no row below two kilobytes, and most of what a small row says is the same in every row. With a
known text to refer to, only the differences are stored.
"""

import zlib
from typing import Final

_LEVEL: Final = 6
_RAW: Final = -zlib.MAX_WBITS


class Packing:
    """Packs bytes by a known text, which unpacking needs as well; its likeliest content comes last."""

    def __init__(self, known: bytes) -> None:
        self._known = known

    def pack(self, content: bytes) -> bytes:
        """Return the packed form of the content."""
        packing = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW, zdict=self._known)
        return packing.compress(content) + packing.flush()

    def unpack(self, packed: bytes) -> bytes:
        """Return the content of a packed form."""
        return zlib.decompressobj(_RAW, zdict=self._known).decompress(packed)
