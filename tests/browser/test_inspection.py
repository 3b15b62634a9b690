"""The inspection finds what it is for; otherwise it would prove nothing about the pages."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page

from .inspection import faint, misplaced, overflowing, unnamed


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 400, "height": 300})
    yield page
    page.close()


@pytest.mark.parametrize(
    ("inspect", "body"),
    [
        (unnamed, "<button></button>"),
        (unnamed, "<input type=checkbox>"),
        (unnamed, "<table><tr><td>1</td></tr></table>"),
        (unnamed, "<svg role=img></svg>"),
        (unnamed, "<div tabindex=0>x</div>"),
        (misplaced, "<main><h1>a</h1><h3>b</h3></main>"),
        (misplaced, "<main><h1 id=a>a</h1><p id=a>b</p></main>"),
        (misplaced, "<h1>a</h1>"),
        (faint, "<p style='color: #999'>grey on white</p>"),
        (faint, "<div style='background: #333'><p style='color: #666'>grey on dark</p></div>"),
        (faint, "<p style='color: color-mix(in srgb, black 30%, white)'>mixed</p>"),
        (faint, "<svg><text fill='#bbb' y='20'>drawn</text></svg>"),
        (overflowing, "<p style='width: 500px'>wide</p>"),
    ],
)
def test_an_offense_is_found(inspect: Callable[[Page], list[str]], body: str, page: Page) -> None:
    page.set_content(body)

    assert len(inspect(page)) == 1


@pytest.mark.parametrize("inspect", [unnamed, misplaced, faint, overflowing])
def test_a_sound_page_gives_no_offense(inspect: Callable[[Page], list[str]], page: Page) -> None:
    page.set_content(
        "<main><h1>A page</h1><label>Name <input></label><table><caption>Numbers</caption></table>"
        "<svg role=img aria-label='A picture'><text y=20>drawn</text></svg><p style='color: #555'>text</p></main>"
    )

    assert inspect(page) == []
