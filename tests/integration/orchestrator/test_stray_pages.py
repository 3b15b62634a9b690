"""Requests for pages that nobody means: each gets a page that says what helps, and none is a step by accident."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import httpx
import pytest

from orchestrator.episodes.facade import Episodes

from .agent_client import agent_of, begun, token_of
from .test_agent_pages import BROWSER, steps

FORM = {**BROWSER, "Content-Type": "application/x-www-form-urlencoded"}
#: Texts that could be more than texts, or break what is around them.
TEXTS = {
    "tags": "</td></table><script>alert(1)</script>",
    "quotes": "\"'`><b onclick=x> &amp; &#34;",
    "template": "{{ 7 * 7 }}{% raw %}${7*7}",
    "right to left": "\u202etxt.exe\u202c \u05d0\u05d1 \u200f",
    "no width": "a\u200bb\ufeffc\u00ad",
    "emoji": "👩‍👩‍👧 🇩🇪 🏳️‍🌈",
    "spaces": "  two  spaces\tand a tab ",
    "markdown": "**bold** `code` [x](javascript:alert(1)) # h | a | b |",
    "ids": "ORD-0001 shop_get_order wait https://evil.test/",
    "percent": "%3Cscript%3E %00 %zz +&item=x;y=z#f?",
    "path": "../../finish?x=1",
    "null": "null",
    "number": "1e400",
}


@dataclass(frozen=True)
class Stray:
    """A request, the statuses that answer it, and how many steps it may be.

    Attributes:
        content: The body as it is sent.
    """

    method: str
    path: str
    statuses: tuple[int, ...]
    content: str | bytes = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    steps: int = 0


LONG = "a" * 10_000
STRAY = {
    "a path below a service": Stray("GET", "/web/shop/orders", (404,)),
    "a slash too many": Stray("GET", "/web/shop_list_orders/", (404,)),
    "two slashes": Stray("GET", "/web//shop_list_orders", (404,)),
    "an encoded slash": Stray("GET", "/web/shop%2Forders", (404,)),
    "a way up": Stray("GET", "/web/%2e%2e/tools", (404,)),
    "a long path": Stray("GET", f"/web/{LONG}", (404,)),
    "another spelling": Stray("GET", "/web/Shop_List_Orders", (404,)),
    "a file that browsers ask for": Stray("GET", "/web/favicon.ico", (404,)),
    "markup as a path": Stray("GET", "/web/%3Cscript%3Ealert(1)%3C%2Fscript%3E", (404,)),
    "no text as a path": Stray("GET", "/web/%ff%fe", (400,)),
    "only the head of the task": Stray("HEAD", "/web/", (405,)),
    "only the head of a list": Stray("HEAD", "/web/shop_list_orders", (405,)),
    "only the head of a form": Stray("HEAD", "/web/wait", (405,)),
    "what may be done": Stray("OPTIONS", "/web/wait", (405,)),
    "a page deleted": Stray("DELETE", "/web/shop_get_order?order_id=ORD-1", (405,)),
    "a page put": Stray("PUT", "/web/shop_place_order", (405,), "item=lamp", FORM),
    "the task posted": Stray("POST", "/web/", (405,), "item=lamp", FORM),
    "an overview posted": Stray("POST", "/web/shop", (404,), "item=lamp", FORM),
    "a page that a browser fetches ahead": Stray(
        "GET", "/web/shop_list_orders", (403,), headers={"Sec-Purpose": "prefetch;prerender"}
    ),
    "a page that an old browser fetches ahead": Stray(
        "GET", "/web/shop_list_orders", (403,), headers={"Purpose": "prefetch"}
    ),
    "a form as JSON": Stray(
        "POST", "/web/wait", (415,), '{"seconds": 60}', {"Content-Type": "application/json"}
    ),
    "a form as text": Stray("POST", "/web/wait", (415,), "seconds=60", {"Content-Type": "text/plain"}),
    "a form in parts": Stray(
        "POST",
        "/web/shop_place_order",
        (415,),
        "--x\r\nContent-Disposition: form-data; name=item\r\n\r\nlamp\r\n--x--\r\n",
        {"Content-Type": "multipart/form-data; boundary=x"},
    ),
    "a form without a type": Stray("POST", "/web/wait", (415,), "seconds=60"),
    "a field twice": Stray("POST", "/web/wait", (400,), "seconds=60&seconds=61", FORM),
    "a field twice with one value": Stray("POST", "/web/wait", (400,), "seconds=60&seconds=60", FORM),
    "an address with a field twice": Stray(
        "GET", "/web/shop_get_order?order_id=ORD-1&order_id=ORD-2", (400,)
    ),
    "no field": Stray("POST", "/web/shop_place_order", (422,), "", FORM, steps=1),
    "an unknown field": Stray("POST", "/web/shop_place_order", (422,), "item=x&price=1", FORM, steps=1),
    "an unknown parameter": Stray("GET", "/web/shop_list_orders?utm_source=mail", (422,), steps=1),
    "a cursor that is none": Stray("GET", "/web/shop_list_orders?cursor=%27", (200, 404, 422), steps=1),
    "a negative limit": Stray("GET", "/web/shop_list_orders?limit=-1", (200, 404, 422), steps=1),
    "a limit beyond all": Stray("GET", f"/web/shop_list_orders?limit={10**18}", (200, 404, 422), steps=1),
    "a limit that no number holds": Stray(
        "GET", f"/web/shop_list_orders?limit={'9' * 5000}", (200, 404, 422), steps=1
    ),
    "seconds beyond all": Stray("POST", "/web/wait", (422,), f"seconds={9 * 10**18}", FORM, steps=1),
    "seconds before now": Stray("POST", "/web/wait", (422,), "seconds=-60", FORM, steps=1),
    "seconds that are none": Stray("POST", "/web/wait", (422,), "seconds=nan", FORM, steps=1),
    "an instant that is none": Stray(
        "POST", "/web/wait", (422,), "until=31+Feb+2030%2C+09:00", FORM, steps=1
    ),
    "an object that is not there": Stray("GET", "/web/shop_get_order?order_id=ORD-9999", (404,), steps=1),
    "another kind of object": Stray("GET", "/web/shop_get_order?order_id=PAR-1", (404, 422), steps=1),
    "a way up as an object": Stray("GET", "/web/shop_get_order?order_id=..%2Forders", (404, 422), steps=1),
    "an empty object": Stray("GET", "/web/shop_get_order?order_id=", (200,)),
    "NUL in an address": Stray("GET", "/web/shop_get_order?order_id=%00", (400,)),
    "NUL in a form": Stray("POST", "/web/shop_place_order", (422,), "item=%00", FORM, steps=1),
    "half a surrogate pair": Stray(
        "POST", "/web/shop_rename_order", (400,), "order_id=ORD-1&item=%ED%A0%80", FORM
    ),
    "bytes that are no text": Stray(
        "POST", "/web/shop_rename_order", (400,), b"order_id=ORD-1&item=\xff\xfe", FORM
    ),
    "too many letters": Stray("POST", "/web/shop_place_order", (422,), f"item={LONG}", FORM, steps=1),
    "a way back elsewhere": Stray("POST", "/web/wait?back=//evil.test", (200,), "seconds=60", FORM, steps=1),
    "a long way back": Stray("POST", f"/web/wait?back={LONG}", (200,), "seconds=60", FORM, steps=1),
    "a choice for no form": Stray("GET", "/web/shop_list_orders?_form=//evil.test&_into=x", (200,), steps=1),
    "a choice from a form": Stray("POST", "/web/wait", (200,), "seconds=60&_form=finish&_into=answer", FORM),
    "a link without a token": Stray("GET", "/web/enter?token=", (200, 303, 401)),
    "a foreign form": Stray(
        "POST", "/web/wait", (403,), "seconds=60", {**FORM, "Origin": "https://evil.test"}
    ),
}


@pytest.mark.parametrize("name", STRAY)
async def test_a_stray_request_gets_a_page_and_is_no_step_that_was_not_meant(
    name: str, agent: httpx.AsyncClient
) -> None:
    stray = STRAY[name]

    answer = await agent.request(
        stray.method, stray.path, content=stray.content or None, headers={**BROWSER, **stray.headers}
    )

    assert answer.status_code in stray.statuses
    if answer.status_code not in (204, 303) and stray.method != "HEAD":
        assert answer.headers["content-type"].startswith("text/html")
        assert re.search("<h1>[^<]+", answer.text)
        assert (answer.status_code < 400) or 'role="alert"' in answer.text
        assert "<script" not in answer.text
        assert "//evil.test" not in re.sub('value="[^"]*"|name="[^"]*"', "", answer.text)
    assert await steps(agent) == stray.steps


@pytest.mark.parametrize("kind", TEXTS)
async def test_a_text_is_the_same_after_the_service_and_before_it(
    kind: str, agent: httpx.AsyncClient
) -> None:
    text = TEXTS[kind]

    refused = await agent.post("/web/shop_rename_order", data={"order_id": "ORD-9", "item": text})
    placed = await agent.post("/web/shop_place_order", data={"item": text})
    listed = await agent.get("/web/shop_list_orders")

    assert (refused.status_code, placed.status_code, listed.status_code) == (404, 200, 200)
    assert unescape(re.findall('name="item" value="([^"]*)"', refused.text)[0]) == text
    for page in (placed, listed):
        shown = " ".join(unescape(re.sub("<[^>]*>", "", page.text)).split())
        # Marks of Markdown are shown as what they mean.
        spellings = {text, re.sub(r"[*`]", "", text)}
        assert any(" ".join(each.split()) in shown for each in spellings)


async def test_a_form_that_is_sent_twice_acts_once(agent: httpx.AsyncClient) -> None:
    form = {"item": "lamp", "idempotency_key": "web-0-place_order"}

    first, again = [await agent.post("/web/shop_place_order", data=form) for _ in range(2)]

    listed = (await agent.get("/web/shop_list_orders")).text
    assert (first.status_code, again.status_code) == (200, 200)
    assert listed.count(">ORD-0001<") == 1
    assert "ORD-0002" not in listed


async def test_forms_of_two_tabs_do_not_act_for_each_other(agent: httpx.AsyncClient) -> None:
    tabs = [(await agent.get("/web/shop_place_order")).text for _ in range(2)]
    keys = [re.findall('name="idempotency_key" value="([^"]*)"', tab)[0] for tab in tabs]

    first = await agent.post("/web/shop_place_order", data={"item": "lamp", "idempotency_key": keys[0]})
    second = await agent.post("/web/shop_place_order", data={"item": "desk", "idempotency_key": keys[1]})
    fresh = re.findall('name="idempotency_key" value="([^"]*)"', second.text)[0]
    again = await agent.post("/web/shop_place_order", data={"item": "desk", "idempotency_key": fresh})

    assert [page.status_code for page in (first, second, again)] == [200, 422, 200]
    assert 'role="alert"' in second.text
    assert 'value="desk"' in second.text
    assert fresh not in keys


@dataclass(frozen=True)
class Ended:
    """The agent of an episode that has ended, and its token."""

    agent: httpx.AsyncClient
    token: str


@pytest.fixture
async def ended(episodes: Episodes) -> AsyncIterator[Ended]:
    token = token_of(await begun(episodes))
    async with agent_of(episodes, token) as opened:
        await opened.post("/web/finish", data={"answer": "done"})
        yield Ended(opened, token)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", {}),
        ("GET", "shop", {}),
        ("GET", "shop_place_order", {}),
        ("GET", "shop_list_orders", {}),
        ("POST", "finish", {"answer": "more"}),
        ("POST", "shop_place_order", {"item": "desk"}),
        ("POST", "shop_list_orders", {"_choose": "shop_rename_order.order_id"}),
        ("POST", "shop_rename_order", {"_form": "shop_rename_order?item=x", "_into": "order_id"}),
    ],
)
async def test_a_page_of_an_ended_episode_says_that_it_has_ended(
    method: str, path: str, body: dict[str, Any], ended: Ended
) -> None:
    answers = [
        await ended.agent.request(method, f"/web/{path}", data=body, headers=BROWSER),
        await ended.agent.get(f"/web/enter?token={ended.token}", headers=BROWSER),
    ]

    assert [(each.status_code, "This task has ended" in each.text) for each in answers] == [(401, True)] * 2


async def test_a_bookmark_of_another_episode_shows_nothing_of_it(
    episodes: Episodes, agent: httpx.AsyncClient
) -> None:
    await agent.post("/web/shop_place_order", data={"item": "secret lamp"})
    async with agent_of(episodes, token_of(await begun(episodes))) as other:
        page = await other.get("/web/shop_get_order?order_id=ORD-0001", headers=BROWSER)

    assert page.status_code == 404
    assert "secret lamp" not in page.text
    assert 'role="alert"' in page.text


@pytest.mark.parametrize("others", ["a/b=1", "(x)=2", '{"a":1}', 'x="open', "path=3", "=", "ü=ö", "a,b=1"])
async def test_the_cookies_of_other_programs_at_the_host_hide_no_task(
    others: str, episodes: Episodes
) -> None:
    token = token_of(await begun(episodes))
    async with agent_of(episodes, None) as browser:
        headers = [(b"Accept", b"text/html"), (b"Cookie", f"{others}; companyos_agent={token}".encode())]
        page = await browser.get("/web/", headers=headers)

    assert page.status_code == 200
    assert "Order a lamp" in page.text


@pytest.mark.parametrize("token", ["", "x", "ü", "a" * 5000, "../..", "\u202e"])
async def test_a_cookie_of_no_episode_opens_no_task(token: str, episodes: Episodes) -> None:
    async with agent_of(episodes, None) as stranger:
        headers = [(b"Accept", b"text/html"), (b"Cookie", f"companyos_agent={token}".encode())]
        page = await stranger.get("/web/shop_list_orders", headers=headers)

    assert page.status_code == 401
    assert page.headers["content-type"].startswith("text/html")
    assert "<h1>" in page.text
