"""The trace: canonical JSON, and the chain of hashes that proves two episodes went the same way.

Each hash covers the one before and everything a step did. Names of one run only (episode ids, worlds, layers,
wall-clock times) are in none of it, so equal inputs give equal hashes on any machine and under any load.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import orjson

#: What of a step's record is hashed, besides the hash before it.
HASHED = ("action", "observation", "reward", "done", "sim_now", "events", "changes", "faults")
#: Hashed too in records that have it: most steps are played under the chaos of the step before.
WHERE_THERE = ("chaos",)

_HASH_BYTES = 16


def canonical(value: Any) -> bytes:
    """Return the one spelling of a JSON value: keys sorted, no spaces, shortest numbers."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def digest(value: Any) -> str:
    """Return the BLAKE2b of the canonical spelling, 32 hexadecimal digits."""
    return blake2b(canonical(value), digest_size=_HASH_BYTES).hexdigest()


def first_hash(
    *, scenario: str, version: int, seed: int, chaos_digest: str, observation: Mapping[str, Any]
) -> str:
    """Return the hash an episode's chain starts with."""
    return digest([scenario, version, seed, chaos_digest, observation])


def next_hash(previous: str, record: Mapping[str, Any]) -> str:
    """Return the hash of a step's record, chained to the hash of the record before."""
    hashed = (*HASHED, *(name for name in WHERE_THERE if name in record))
    return digest([previous, {name: record[name] for name in hashed}])
