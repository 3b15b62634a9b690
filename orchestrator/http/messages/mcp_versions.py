"""The revisions of the Model Context Protocol that begin with a handshake, and the one that has batches."""

from collections.abc import Sequence
from typing import Any, Final

#: Newest first.
HANDSHAKE_VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
#: The only revision with batches. Its clients do not send the header, which came later.
BATCHES: Final = "2025-03-26"
VERSION_HEADER: Final = "mcp-protocol-version"
MOST_BATCHED: Final = 100
INITIALIZE_ALONE: Final = "initialize must not be part of a batch."


def batch_refusal(messages: Sequence[Any], revision: str | None) -> str | None:
    """Return why a batch is refused, or None.

    Args:
        messages: The messages of the batch.
        revision: The revision in the request's header, if there is one.
    """
    if revision not in (None, BATCHES):
        return f"MCP {revision} has no batches, only {BATCHES} has. Send one JSON-RPC message."
    if not 0 < len(messages) <= MOST_BATCHED:
        return f"A batch has 1 to {MOST_BATCHED} messages."
    return None
