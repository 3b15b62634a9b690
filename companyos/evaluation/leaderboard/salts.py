"""The salts of a leaderboard: the public one, and held-out ones whose hash was published before runs were played."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import orjson

from .problems import EntryProblem, EntryRefused, ProblemCode

SALTS: Final = "salts.json"
PUBLIC: Final = "public"


def salt_label(board: Path, salt: str | None, about: Mapping[str, Any]) -> str:
    """Return what an entry says of its salt: `public`, or the SHA-256 of the held-out one.

    Args:
        board: The leaderboard, whose `salts.json` lists `{"sha256": …, "published": "2026-11-01"}`.
        salt: The held-out salt; None for the public one.
        about: What `run.json` says.

    Raises:
        EntryRefused: The hash of the held-out salt was not published when the run began, or cannot be read.
    """
    if salt is None:
        return PUBLIC
    digest = sha256(salt.encode()).hexdigest()
    try:
        file = board / SALTS
        listed = orjson.loads(file.read_bytes()) if file.exists() else []
        published = [each["published"] for each in listed if each["sha256"] == digest]
        if any(str(day) <= str(about["started_at"]) for day in published):
            return digest
    except (OSError, ValueError, LookupError, TypeError) as failure:
        raise EntryRefused(
            [EntryProblem(ProblemCode.SALT_UNCOMMITTED, f"{SALTS} cannot be read: {failure!r}")]
        ) from None
    raise EntryRefused(
        [EntryProblem(ProblemCode.SALT_UNCOMMITTED, f"{SALTS} did not list {digest} when the run began")]
    )
