"""Archives: snapshots as files, which another stack can import and go on from."""

from .transfers import Archives

__all__ = ["Archives"]
