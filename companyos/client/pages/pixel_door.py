"""The door of pictures: episodes played through pictures of their pages, which Chromium draws.

    with PixelDoorEnv(base_url="http://localhost:8000") as env:
        result = env.reset(scenario="vendor_onboarding", seed=7)
        result = env.step("mouse_click(640, 300)")

An observation has the picture in `screen`; its text says nothing of what the page shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .chromium import HEIGHT, WIDTH
from .door import MOVES, BrowserAction, PageDoor, PageDoorEnv
from .pixel_browser import KEYS, PixelBrowser


def _number(description: str, **limits: int) -> Mapping[str, Any]:
    """Return the schema of an argument that is a number of pixels."""
    return {"type": "integer", "description": description, **limits}


class PixelDoor(PageDoor):
    """The browser of pictures of one episode."""

    INSTRUCTIONS = (
        f"You work in the web pages of your company's software, whose first page is your task. Each message has a "
        f"picture of the browser's window, {WIDTH} pixels wide and {HEIGHT} high. Answer with one action, such as "
        f"mouse_click(640, 300). Only the latest pictures stay in view, so note what you will need. To write into a "
        f"field, click it and then type; Control+a selects what it holds. To open a page, also by going back, and to "
        f"submit a form takes a step; to click into a field, to type and to scroll takes none."
    )
    ACTIONS: ClassVar[Mapping[str, BrowserAction]] = {
        "mouse_click": BrowserAction(
            "Click at a place of the picture.",
            {
                "x": _number("Pixels from its left edge.", minimum=0, maximum=WIDTH - 1),
                "y": _number("Pixels from its upper edge.", minimum=0, maximum=HEIGHT - 1),
            },
        ),
        "keyboard_type": BrowserAction(
            "Write text where the focus is.", {"text": {"type": "string", "description": "The text."}}
        ),
        "keyboard_press": BrowserAction(
            "Press a key.", {"key": {"type": "string", "enum": list(KEYS), "description": "Its name."}}
        ),
        "scroll": BrowserAction(
            "Scroll the page, or sideways the table in its middle.",
            {"delta_x": _number("Pixels to the right."), "delta_y": _number("Pixels down.")},
        ),
        **MOVES,
    }
    _browser: PixelBrowser

    def open_browser(self, url: str, token: str) -> PixelBrowser:
        """Return a browser of pictures of the pages at this address."""
        return PixelBrowser(url, token)

    def page(self) -> dict[str, Any]:
        """Return the picture, and which part of the page it is."""
        picture = self._browser.picture
        bottom = min(picture.top + HEIGHT, picture.page_height)
        text = f"{self._browser.title}: pixels {picture.top} to {bottom} of {picture.page_height}"
        return {"text": text, "screen": picture.document()}


class PixelDoorEnv(PageDoorEnv):
    """Episodes played through pictures of their pages."""

    OPENS = PixelDoor
