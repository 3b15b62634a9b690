"""Packs stored bytes: deflate with a preset dictionary of typical content.

PostgreSQL compresses no row below two kilobytes, and small rows have most of their content in common. With a
preset dictionary, only the differences take up storage.
"""

import zlib
from typing import Final

_LEVEL: Final = 6
_RAW: Final = -zlib.MAX_WBITS


class Packing:
    """Packs and unpacks bytes with a preset dictionary, which should end with the most likely content."""

    def __init__(self, known: bytes) -> None:
        self._known = known

    def pack(self, content: bytes) -> bytes:
        """Return the packed form of the content."""
        packing = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW, zdict=self._known)
        return packing.compress(content) + packing.flush()

    def unpack(self, packed: bytes) -> bytes:
        """Return the content of packed bytes."""
        return zlib.decompressobj(_RAW, zdict=self._known).decompress(packed)
