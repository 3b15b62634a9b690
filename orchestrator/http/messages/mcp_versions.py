"""The revisions of the Model Context Protocol that begin with a handshake, newest first."""

from typing import Final

HANDSHAKE_VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
