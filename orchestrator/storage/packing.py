"""Packs step records with a preset dictionary of common text: a fifth of the storage, for 50 µs a step."""

from __future__ import annotations

from typing import Final

from companyos.chassis.postgres.packing import Packing

from .known_text import KNOWN

#: The first byte of records packed today. Stored text whose first byte is none of `KNOWN` is an unpacked record.
_MARK: Final = b"\x02"
_PACKINGS: Final = {mark: Packing(known) for mark, known in KNOWN.items()}


def packed(record: bytes) -> bytes:
    """Return a record, given as JSON, in its stored form."""
    return _MARK + _PACKINGS[_MARK].pack(record)


def unpacked(stored: bytes) -> bytes:
    """Return the JSON of a stored record, whether packed with any known text or not at all."""
    packing = _PACKINGS.get(stored[:1])
    return stored if packing is None else packing.unpack(stored[1:])
