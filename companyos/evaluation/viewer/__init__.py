"""The viewer: local pages to look at episodes step by step, of runs on disk and of a stack that is running."""

from .app import viewer_app
from .folders import RunShelf
from .live import LiveStack

__all__ = ["LiveStack", "RunShelf", "viewer_app"]
