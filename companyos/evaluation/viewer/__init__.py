"""The viewer: local pages that show episodes step by step, from runs on disk and from a running stack."""

from .app import viewer_app
from .folders import RunShelf
from .live import LiveStack

__all__ = ["LiveStack", "RunShelf", "viewer_app"]
