"""The inspection finds what it is for; otherwise it would prove nothing about the pages."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page

from .inspection import faint, overflowing, violations


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 400, "height": 300})
    yield page
    page.close()


@pytest.mark.parametrize(
    ("inspect", "body"),
    [
        (violations, "<button></button>"),
        (violations, "<p style='color: #999'>grey on white</p>"),
        (faint, "<svg><text fill='#bbb' y='20'>drawn</text></svg>"),
        (overflowing, "<p style='width: 500px'>wide</p>"),
    ],
)
def test_an_offense_is_found(inspect: Callable[[Page], list[str]], body: str, page: Page) -> None:
    page.set_content(f"<html lang=en><title>A page</title><main><h1>A page</h1>{body}</main></html>")

    assert len(inspect(page)) == 1


@pytest.mark.parametrize("inspect", [violations, faint, overflowing])
def test_a_sound_page_gives_no_offense(inspect: Callable[[Page], list[str]], page: Page) -> None:
    page.set_content(
        "<html lang=en><title>A page</title><main><h1>A page</h1><label>Name <input></label>"
        "<svg role=img aria-label='A picture'><text y=20>drawn</text></svg></main></html>"
    )

    assert inspect(page) == []
