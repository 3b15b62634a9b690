"""An action in the pages is carried out or told to be none, whatever a model writes; it fails nothing else."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.client.pages.actions import BrowserActionError
from companyos.client.pages.text_browser import TextBrowser

PAGE = """<main><a href="other">Other</a>
<form method="post" action="send"><label for="a">A</label><input id="a" name="a" value=""><button>Send</button></form>
<form method="get" action="find"><label for="q">Q</label><input id="q" name="q" value=""><button>Find</button></form>
<form method="post" action="pick"><select name="c"><option value="1">One</option></select></form></main>"""
HOME = "http://company.test:80/web/"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=3,
)
NUMBERS = st.integers(-1, 6) | st.sampled_from(["0", "²", "9" * 5000, 10**400, -(10**400)])
ADDRESSES = (
    "http://[",
    "a\0b",
    "a" * 70_000,
    "//[x",
    "../mcp",
    "/web/../mcp",
    "http://company.test/web/../mcp",
    7e999,
)


class Company:
    """Answers every request with one page, and keeps what was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.browser = TextBrowser(HOME, "token", httpx.MockTransport(self._answer))
        self.browser.goto(HOME)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        return httpx.Response(200, text=PAGE)


@given(
    st.lists(
        st.tuples(st.just("fill"), NUMBERS, JSON)
        | st.tuples(st.just("click"), NUMBERS)
        | st.tuples(st.just("select_option"), NUMBERS, JSON)
        | st.tuples(st.just("goto"), JSON | st.sampled_from(ADDRESSES))
        | st.tuples(st.text(), JSON),
        max_size=6,
    )
)
def test_any_text_is_carried_out_or_told_to_be_no_action(actions: list[tuple[Any, ...]]) -> None:
    company = Company()

    for name, *arguments in actions:
        with suppress(BrowserActionError):
            company.browser.perform(name, arguments)

    assert all(url.startswith("http://company.test/web/") for url in company.asked)


@pytest.mark.parametrize("address", [one for one in ADDRESSES if one != 7e999], ids=lambda one: one[:12])
def test_an_address_that_is_none_or_leads_elsewhere_is_refused(address: str) -> None:
    company = Company()

    with pytest.raises(BrowserActionError, match=r"is not a page of the company\.$"):
        company.browser.perform("goto", [address])

    assert company.asked == ["http://company.test/web/"]
