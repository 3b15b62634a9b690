"""What a page owes to everybody: names, structure, contrast, and room in a narrow window."""

from pathlib import Path
from typing import Final

from playwright.sync_api import Page

_SOURCE: Final = Path(__file__).with_name("inspection.js").read_text(encoding="utf-8").rstrip()


def unnamed(page: Page) -> list[str]:
    """Return controls, regions, tables and pictures without a name."""
    return _inspected(page, "unnamed")


def misplaced(page: Page) -> list[str]:
    """Return what is wrong with headings, ids and landmarks."""
    return _inspected(page, "misplaced")


def faint(page: Page) -> list[str]:
    """Return text that is hard to read, with its contrast."""
    return _inspected(page, "faint")


def overflowing(page: Page) -> list[str]:
    """Return by how much the page is wider than its window, if it is."""
    return _inspected(page, "overflowing")


def _inspected(page: Page, name: str) -> list[str]:
    return list(page.evaluate(f"() => {_SOURCE}.{name}()"))
