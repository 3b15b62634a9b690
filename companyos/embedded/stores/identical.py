"""Makes prepared clusters identical: of two that were created in the same way, no byte differs.

Two clusters with the same content differ in their random identifiers, in the dates in their control file and their
write-ahead log, and in caches. This module removes the caches, sets the identifiers and the dates, and replaces the log
with one that holds a single checkpoint, as `pg_resetwal` does. The formats are those of PostgreSQL 18:
`ControlFileData` and `CheckPoint` in `pg_control.h`, pages and records of the log in `xlog_internal.h` and
`xlogrecord.h`.
"""

import struct
from pathlib import Path
from typing import Final

CONTROL_VERSION: Final = 1800
IDENTIFIER: Final = int.from_bytes(b"cmpanyos")
#: Salts the challenge to a login with an unknown name. A copy in an image is no secret, whatever its value.
NONCE: Final = b"companyos".ljust(32, b"\0")
DATE_S: Final = 315532800
CACHES: Final = ("postmaster.opts", "pg_stat/*", "global/pg_internal.init", "base/*/pg_internal.init")
#: Positions in the control file.
IDENTIFIER_AT, VERSION_AT, CHANGED_AT, CHECKPOINT_AT, COPY_AT, COPY_END = 0, 8, 24, 32, 40, 128
CHECKED_AT, NONCE_AT, CRC_AT = COPY_AT + 64, 257, 292
PAGE: Final = struct.Struct("<HHIQI4xQII")
RECORD: Final = struct.Struct("<IIQBB2xI")
SHORT_DATA: Final = 255
LONG_HEADER: Final = 2
CASTAGNOLI: Final = 0x82F63B78


def make_identical(cluster: Path) -> None:
    """Remove from the folder of a cluster that was shut down whatever differs from one creation to another.

    A cluster of another major version of PostgreSQL is left as it is.
    """
    control_file, log = cluster / "global" / "pg_control", cluster / "pg_wal"
    control = bytearray(control_file.read_bytes())
    if control[VERSION_AT : VERSION_AT + 4] != CONTROL_VERSION.to_bytes(4, "little"):
        return

    segments = sorted(path for path in log.iterdir() if path.is_file())
    magic, _, timeline, _, _, _, size, block = PAGE.unpack_from(segments[0].read_bytes())
    (checkpoint,) = struct.unpack_from("<Q", control, CHECKPOINT_AT)
    number = checkpoint // size + 1
    page = PAGE.pack(magic, LONG_HEADER, timeline, number * size, 0, IDENTIFIER, size, block)
    _restart(control, position=number * size + len(page))
    first = page + _checkpoint_record(bytes(control[COPY_AT:COPY_END]))

    for path in [*segments, *(path for pattern in CACHES for path in cluster.glob(pattern))]:
        path.unlink()
    high, low = divmod(number, 2**32 // size)
    (log / f"{timeline:08X}{high:08X}{low:08X}").write_bytes(first.ljust(size, b"\0"))
    control_file.write_bytes(control)


def _restart(control: bytearray, *, position: int) -> None:
    """Let a control file say that the server was shut down with a checkpoint at a position of the log."""
    struct.pack_into("<Q", control, IDENTIFIER_AT, IDENTIFIER)
    struct.pack_into("<QQQ", control, CHANGED_AT, DATE_S, position, position)
    struct.pack_into("<Q", control, CHECKED_AT, DATE_S)
    control[NONCE_AT : NONCE_AT + len(NONCE)] = NONCE
    struct.pack_into("<I", control, CRC_AT, crc32c(bytes(control[:CRC_AT])))


def _checkpoint_record(checkpoint: bytes) -> bytes:
    content = bytes([SHORT_DATA, len(checkpoint)]) + checkpoint
    head = RECORD.pack(RECORD.size + len(content), 0, 0, 0, 0, 0)
    return head[:-4] + crc32c(content + head[:-4]).to_bytes(4, "little") + content


def crc32c(content: bytes) -> int:
    """Return the checksum that PostgreSQL uses in its files, CRC-32C."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (CASTAGNOLI if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF
