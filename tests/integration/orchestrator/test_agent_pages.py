"""Pages: looking at one is a call, so is submitting a form, and nothing that a text contains becomes more than text."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import httpx

from orchestrator.episodes.facade import Episodes

from .agent_client import agent_of, begun, id_of, token_of

BROWSER = {"Accept": "text/html"}
HOSTILE = """<script>alert(1)</script>"'><img src=//evil.test/x onerror=alert(1)>{{ 7 * 7 }}</textarea>"""


def parts_of(page: str) -> tuple[set[str], list[tuple[str, str]]]:
    """Return the names of a page's elements, and all their attributes."""
    tags, attributes = set[str](), list[tuple[str, str]]()

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.add(tag)
            attributes.extend((name, value or "") for name, value in attrs)

    Reader().feed(page)
    return tags, attributes


async def steps(agent: httpx.AsyncClient) -> int:
    """Return how many steps the agent has taken."""
    return int((await agent.get("/task")).json()["step"])


async def test_an_episode_in_pages_and_its_calls_end_in_one_hash(episodes: Episodes) -> None:
    reply, again = await begun(episodes), await begun(episodes)
    async with agent_of(episodes, token_of(reply)) as agent:
        for form, fields in (
            ("shop_place_order", {"item": "lamp", "idempotency_key": "web-0-place_order"}),
            ("wait", {"seconds": "3600"}),
            ("shop_rename_order", {"order_id": "ORD-9", "item": "desk"}),
        ):
            await agent.post(f"/web/{form}", data=fields)
        order = await agent.get("/web/shop_get_order?order_id=ORD-0001")
        await agent.post("/web/finish", data={"answer": "It is there."})

    played = [record for record in await episodes.trace(id_of(reply)) if "action" in record]
    for record in played:
        last = await episodes.step(id_of(again), record["action"])

    assert [record["action"]["tool_name"] for record in played] == [
        "shop_place_order",
        "wait",
        "shop_rename_order",
        "shop_get_order",
        "finish",
    ]
    assert "<h1>lamp</h1>" in order.text
    assert (last.metadata["success"], last.metadata["trace_hash"]) == (True, played[-1]["hash"])


async def test_pages_that_show_nothing_of_the_company_are_no_steps(agent: httpx.AsyncClient) -> None:
    paths = (
        "",
        "shop",
        "style.css",
        "wait",
        "shop_place_order",
        "shop_get_order",
        "no_such_page",
        "shop/orders",
    )

    statuses = [(await agent.get(f"/web/{path}", headers=BROWSER)).status_code for path in paths]

    assert statuses == [200, 200, 200, 200, 200, 200, 404, 404]
    assert await steps(agent) == 0


async def test_pages_bring_their_fonts_to_everybody(episodes: Episodes) -> None:
    async with agent_of(episodes, None) as stranger:
        style = (await stranger.get("/web/style.css")).text
        names = re.findall(r'url\("([^"]+)"\)', style)
        fonts = [await stranger.get(f"/web/{name}") for name in names]

    assert len(fonts) == 3
    assert {(font.status_code, font.headers["content-type"], font.content[:4]) for font in fonts} == {
        (200, "font/woff2", b"wOF2")
    }


async def test_the_task_explains_no_arguments_that_forms_carry(agent: httpx.AsyncClient) -> None:
    page, told = (await agent.get("/web/")).text, (await agent.get("/task")).json()["text"]

    assert "Order a lamp" in page
    assert "idempotency_key" in told
    assert "idempotency_key" not in page


async def test_a_call_that_an_alert_offers_leads_back_to_its_page(agent: httpx.AsyncClient) -> None:
    back = {"back": "shop_get_order?order_id=ORD-0001"}

    page = (await agent.post("/web/wait", params=back, data={"seconds": "60"})).text

    assert '<a class="button primary" href="shop_get_order?order_id=ORD-0001">Back to' in page


async def test_the_layout_of_a_service_decides_what_its_list_shows(agent: httpx.AsyncClient) -> None:
    await agent.post("/web/shop_place_order", data={"item": "lamp"})

    page = (await agent.get("/web/depot_list_parcels")).text

    assert "<h1>What was packed" in page
    assert page.count('<th scope="col">') == 2
    assert "Order</th>" not in page


async def test_a_form_still_holds_its_texts_once_a_value_is_chosen(
    agent: httpx.AsyncClient,
) -> None:
    await agent.post("/web/shop_place_order", data={"item": "lamp"})
    written = {"order_id": "ORD-9", "item": "<b>désk</b> " * 1000}

    listed = await agent.post(
        "/web/shop_list_orders", data={**written, "_choose": "shop_rename_order.order_id"}
    )
    carried = {
        name: unescape(value)
        for name, value in re.findall(r'name="(_form|_into)" value="([^"]*)"', listed.text)
    }
    back = await agent.post("/web/shop_rename_order", data=carried)
    chosen = await agent.post("/web/shop_rename_order", data={**carried, "_chosen": "ORD-0001"})

    assert [page.status_code for page in (listed, back, chosen)] == [200] * 3
    assert '<button class="link" name="_chosen" value="ORD-0001">' in listed.text
    for page, order in ((back, "ORD-9"), (chosen, "ORD-0001")):
        assert f'name="order_id" value="{order}"' in page.text
        assert unescape(page.text).count("<b>désk</b> ") == 1000
    # To look into the list is a step, and to come back is none.
    assert await steps(agent) == 2


async def test_a_choice_for_a_form_makes_no_call_of_a_form(agent: httpx.AsyncClient) -> None:
    odd = {"_choose": "shop_rename_order.order_id"}, {"_form": "no_such?x=1", "_into": "y"}

    pages = [await agent.post("/web/shop_place_order", data={"item": "lamp", **each}) for each in odd]

    assert [page.status_code for page in pages] == [200, 200]
    assert await steps(agent) == 0


async def test_a_refused_form_keeps_what_was_typed_and_leads_to_what_helps(agent: httpx.AsyncClient) -> None:
    page = await agent.post("/web/shop_rename_order", data={"order_id": "ORD-7", "item": "desk"})

    assert page.status_code == 404
    assert '<div class="alert" role="alert"><p><strong>Order unknown.</strong>' in page.text
    assert 'name="item" value="desk"' in page.text


async def test_a_form_with_a_field_twice_is_refused_without_a_step(agent: httpx.AsyncClient) -> None:
    form = {**BROWSER, "Content-Type": "application/x-www-form-urlencoded"}

    page = await agent.post("/web/wait", content="seconds=60&seconds=600", headers=form)

    assert page.status_code == 400
    assert "Give the field &#39;seconds&#39; once" in page.text
    assert await steps(agent) == 0


async def test_hostile_texts_are_shown_as_texts_and_load_nothing(agent: httpx.AsyncClient) -> None:
    placed = await agent.post("/web/shop_place_order", data={"item": HOSTILE[:100]})
    pages = [
        placed,
        await agent.post("/web/shop_rename_order", data={"order_id": HOSTILE, "item": HOSTILE}),
        await agent.post("/web/finish", data={"unknown": HOSTILE}),
        *[
            await agent.get("/web/" + path, params={"order_id": HOSTILE, "item": HOSTILE}, headers=BROWSER)
            for path in ("shop_list_orders", "shop_get_order", "shop_place_order", "shop", "")
        ],
        await agent.get("/web/shop_get_order", params={"order_id": "ORD-0001"}),
    ]

    assert "&lt;script&gt;" in placed.text
    for page in pages:
        tags, attributes = parts_of(page.text)
        assert tags.isdisjoint({"script", "img", "iframe", "object", "embed", "style", "base"})
        assert not [name for name, _ in attributes if name.startswith(("on", "src", "style"))]
        assert not [value for name, value in attributes if name in ("href", "action") and "//" in value]
        assert "{{ 7 * 7 }}" in page.text or "49" not in page.text
        assert page.headers["content-security-policy"].startswith("default-src 'none'; style-src 'self'")
        assert page.headers["cache-control"] == "no-store"
        # Browsers send the origin of forms, which are refused without it, only if there may be a referrer.
        assert page.headers["referrer-policy"] == "same-origin"


async def test_a_link_with_the_token_opens_the_pages_and_nothing_else(episodes: Episodes) -> None:
    reply = await begun(episodes)
    async with agent_of(episodes, None) as browser:
        entered = await browser.get(f"/web/enter?token={token_of(reply)}")
        home = await browser.get("/web/", headers=BROWSER)
        rest = await browser.get("/task")
        foreign = await browser.post("/web/wait", headers={"Origin": "https://evil.test"})

    cookie = entered.headers["set-cookie"]
    assert (entered.status_code, entered.headers["location"]) == (303, "./")
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    assert "Order a lamp" in home.text
    assert (rest.status_code, foreign.status_code) == (401, 403)


async def test_an_ended_episode_has_no_pages(agent: httpx.AsyncClient) -> None:
    last = await agent.post("/web/finish", data={"answer": "done"}, headers=BROWSER)
    after = [
        await agent.get(path, headers=BROWSER) for path in ("/web/", "/web/shop_list_orders", "/web/shop")
    ]

    assert "Your work on this task has ended." in last.text
    assert [(page.status_code, "This task has ended" in page.text) for page in after] == [(401, True)] * 3
    # What would be a link leads nowhere any more.
    assert [page.text.count("<a ") for page in (last, *after)] == [0] * 4


async def test_a_form_that_is_too_large_is_answered_with_a_page(agent: httpx.AsyncClient) -> None:
    refused = await agent.post("/web/shop_place_order", data={"item": "x" * 300_000}, headers=BROWSER)

    assert (refused.status_code, refused.headers["connection"]) == (413, "close")
    assert refused.headers["content-type"].startswith("text/html")
    assert "A body may have 256 KiB here." in refused.text
    assert await steps(agent) == 0
