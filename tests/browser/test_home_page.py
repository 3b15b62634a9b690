"""The home page of a stack in a browser: it is readable, fits, and begins a task that a person can play."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.result_pages import Results

from .conftest import Opening
from .inspection import faint, overflowing, violations

WIDE, NARROW = 1280, 390


@pytest.mark.parametrize(("scheme", "width"), [("light", WIDE), ("dark", WIDE), ("light", NARROW)])
def test_the_home_page_is_readable_and_fits(
    scheme: str, width: int, results: Results, opened: Opening, kept: Callable[[Page, str], None]
) -> None:
    with opened(f"{results.stack.url}/", scheme=scheme, width=width) as page:
        page.locator("details").first.evaluate("(each) => { each.open = true }")

        assert not (found := violations(page) + faint(page)), "\n".join(found)
        assert overflowing(page) == []
        kept(page, f"home-{scheme}-{width}")


def test_a_person_picks_a_task_and_plays_it_in_the_browser(results: Results, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(results.stack.url)
    page.get_by_label("Task").select_option(label="Expense report")
    page.get_by_label("Seed").fill("3")
    page.get_by_label("Difficulty").select_option(label="2, office")

    page.get_by_role("button", name="Play in the browser").click()

    expect(page.get_by_role("main")).to_contain_text("expense")
    assert "/web/" in page.url
    assert "token" not in page.url
    page.close()
