"""Archives: snapshots as files, which another stack can import and continue."""

from .transfers import Archives

__all__ = ["Archives"]
