"""Event and operation ids as agents see them: deterministic, without revealing the step or the cause."""

from hashlib import blake2b
from typing import Final

_KEY: Final = b"companyos.public_ids"


def public_id(event_id: str) -> str:
    """Return an event's id as agents see it, for example `evt-5c1f0a9e77b2`."""
    return f"evt-{_digest(event_id)}"


def public_operation_id(cause: str) -> str:
    """Return the id, as agents see it, of an operation that a call started."""
    return f"op-{_digest(cause)}"


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=6, key=_KEY).hexdigest()
