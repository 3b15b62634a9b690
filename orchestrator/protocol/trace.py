"""The trace: canonical JSON, and the chain of hashes that detects alterations.

Each hash covers the previous one and the complete record of a step, without wall-clock time. Names of one run (episode
ids, worlds, layers) are not hashed, so equal inputs give equal hashes on any machine and under any load. The seal
covers the head's statements about the whole episode, which are known only after it was played.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import orjson

#: Version of the records and of the hashes' coverage, as given in the head.
FORMAT = 2
#: Not hashed: real time, and the hashes themselves.
NOT_HASHED = frozenset({"took_ms", "previous", "hash", "seal"})
#: Parts of the head that are not about the episode's start; only the seal covers them.
SEALED_ONLY = frozenset({"chaos_now", "faults", "not_offered", "origin"})

_HASH_BYTES = 16


def canonical(value: Any) -> bytes:
    """Return the canonical text of a JSON value: sorted keys, no spaces, shortest numbers."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def stored(record: Mapping[str, Any]) -> bytes:
    """Return a record in its stored form; keys keep their order, so that a repeated reply has the same bytes."""
    return orjson.dumps(record)


def digest(value: Any) -> str:
    """Return the BLAKE2b hash of the canonical text, 32 hexadecimal digits."""
    return blake2b(canonical(value), digest_size=_HASH_BYTES).hexdigest()


def first_hash(head: Mapping[str, Any]) -> str:
    """Return the first hash of a chain, which covers all that an episode starts from and shows first."""
    return digest(_without(head, NOT_HASHED | SEALED_ONLY))


def next_hash(previous: str, record: Mapping[str, Any]) -> str:
    """Return the hash of a step's record, chained to the previous record's hash."""
    return digest([previous, _without(record, NOT_HASHED)])


def links(head: Mapping[str, Any], first: str) -> dict[int, str]:
    """Return to which hash the first step of each part of an episode is chained, by its number.

    Args:
        head: The head of its trace, whose `earlier` describes the parts played under other options.
        first: The first hash of its own part.
    """
    parts = head.get("earlier", ())
    begins = [1, *(part["until"] + 1 for part in parts)]
    return dict(zip(begins, [*(part["first_hash"] for part in parts), first], strict=True))


def seal(head: Mapping[str, Any], last_hash: str) -> str:
    """Return the hash of a whole trace: its head and, through the last record's hash, all steps."""
    return digest([last_hash, _without(head, frozenset({"seal"}))])


def _without(record: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}
