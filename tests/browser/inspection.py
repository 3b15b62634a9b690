"""What a page owes to everybody: names, structure, contrast, and room in a narrow window."""

from pathlib import Path
from typing import Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_SOURCE: Final = Path(__file__).with_name("inspection.js").read_text(encoding="utf-8").rstrip()


def violations(page: Page) -> list[str]:
    """Return every rule of axe-core that the page breaks, and where."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {node['html'][:120]}" for rule in found for node in rule["nodes"]
    ]


def faint(page: Page) -> list[str]:
    """Return text in drawings that is hard to read, with its contrast; axe-core looks at no drawing."""
    return _inspected(page, "faint")


def overflowing(page: Page) -> list[str]:
    """Return by how much the page is wider than its window, if it is."""
    return _inspected(page, "overflowing")


def _inspected(page: Page, name: str) -> list[str]:
    return list(page.evaluate(f"() => {_SOURCE}.{name}()"))
