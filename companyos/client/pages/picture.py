"""A picture of a browser's window, as the door of pictures shows it."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Any, Final

from .chromium import HEIGHT, WIDTH

PNG: Final = "image/png"
JPEG: Final = "image/jpeg"
#: How good pictures in JPEG are, of 100: texts stay sharp.
QUALITY: Final = 80


@dataclass(frozen=True)
class Picture:
    """What the browser's window shows.

    Attributes:
        data: The picture as a file.
        media_type: Its format, `image/png` or `image/jpeg`.
        top: How far the page is scrolled, in pixels.
        page_height: The height of the whole page, in pixels.
        browser: The browser that drew it, with its version.
    """

    data: bytes
    media_type: str
    top: int
    page_height: int
    browser: str

    @property
    def sha256(self) -> str:
        """The digest of the file."""
        return hashlib.sha256(self.data).hexdigest()

    def document(self) -> dict[str, Any]:
        """Return the picture as JSON."""
        return {
            "media_type": self.media_type,
            "data": base64.b64encode(self.data).decode(),
            "width": WIDTH,
            "height": HEIGHT,
            "top": self.top,
            "page_height": self.page_height,
            "sha256": self.sha256,
            "browser": self.browser,
        }
