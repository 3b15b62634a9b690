"""The ids by which results name their calls: the model's own, or others where it gave none, or one twice."""

from collections.abc import Sequence
from hashlib import blake2b

from ..endpoint import Exchange

#: Mistral's endpoint takes ids of nine letters and digits, and others take those as well.
_LENGTH = 9


def call_ids(exchanges: Sequence[Exchange]) -> list[list[str]]:
    """Return the ids of the calls of each exchange, no two of them equal: endpoints refuse those that are."""
    seen: set[str] = set()
    return [
        [
            _new_id(str(call.get("id") or f"call_{number}_{index}"), seen)
            for index, call in enumerate(each.reply.calls)
        ]
        for number, each in enumerate(exchanges)
    ]


def _new_id(given: str, seen: set[str]) -> str:
    found = given
    while found in seen:
        found = blake2b(found.encode()).hexdigest()[:_LENGTH]
    seen.add(found)
    return found
