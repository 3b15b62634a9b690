"""Counts agent errors by reason; messages that differ only in ids, times and amounts have the same reason."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from .records import EpisodeEnding, EpisodeRecord

#: Words of at least eight characters with a digit, such as request ids and addresses; amounts; durations.
_INCIDENTAL: Final = re.compile(
    r"\b(?=[\w-]*\d)[\w-]{8,}\b|\b\d+(\.\d+)?m?s\b|\b\d+\.\d+|\b\d{4,}\b", re.ASCII
)


def counted_reasons(records: Iterable[EpisodeRecord]) -> dict[str, int]:
    """Return how often agents failed for each reason, most often first; its first message stands for it."""
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for record in records:
        if record.ended is EpisodeEnding.AGENT_ERROR:
            error = " ".join((record.agent_error or "").split())
            counts[first.setdefault(reason_of(error), error)] += 1
    return dict(counts.most_common())


def reason_of(error: str) -> str:
    """Return an error message without the parts in which messages of the same reason differ."""
    return _INCIDENTAL.sub("…", error)
