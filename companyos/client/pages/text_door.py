"""The text door: episodes played through their pages as text, which needs no Chromium.

    with TextDoorEnv(base_url="http://localhost:8000") as env:
        result = env.reset(scenario="vendor_onboarding", seed=7)
        result = env.step("click(1)")

The agent sees a page as an outline.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .door import MOVES, BrowserAction, PageDoor, PageDoorEnv
from .text_browser import TextBrowser


def _text(description: str) -> Mapping[str, str]:
    """Return the schema of an argument that is a text."""
    return {"type": "string", "description": description}


class TextDoor(PageDoor):
    """The text browser of one episode."""

    INSTRUCTIONS = (
        "You work in the web pages of your company's software. Each message shows a page as text: its main part "
        "first, and everything that you can act on with a [number]. Answer with one action, such as click(3) or "
        'fill(5, "high"). Numbers change with every page. To open a page, also by going back, and to submit a form '
        "takes a step; to fill in a field takes none."
    )
    ACTIONS: ClassVar[Mapping[str, BrowserAction]] = {
        "click": BrowserAction(
            "Follow a link, or submit the form of a button.", {"bid": _text("Its number.")}
        ),
        "fill": BrowserAction(
            "Write text into a field, instead of what it holds.",
            {"bid": _text("The field's number."), "value": _text("The text.")},
        ),
        "select_option": BrowserAction(
            "Choose an option of a combobox.",
            {"bid": _text("Its number."), "options": _text("The option's label.")},
        ),
        **MOVES,
    }
    _browser: TextBrowser

    def open_browser(self, url: str, token: str) -> TextBrowser:
        """Return a text browser of the pages at this address."""
        return TextBrowser(url, token)

    def page(self) -> dict[str, Any]:
        """Return the page as an outline."""
        return {"text": self._browser.outline}


class TextDoorEnv(PageDoorEnv):
    """Episodes played through their pages as text."""

    OPENS = TextDoor
