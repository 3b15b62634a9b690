"""The pages of both APIs: whole without a network, and the documentation says what the OpenAPI document says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from html import unescape

import httpx
import pytest

from docs import access
from tests.page_sources import foreign_sources

from .trainer_calls import started

LISTENERS = ("orchestrator", "agent_api")
#: Every path that a browser can open.
READ = sorted({(route.listener, route.path) for route in access.routes() if route.method == "GET"})


@pytest.fixture
async def agent(http: httpx.AsyncClient) -> AsyncIterator[httpx.AsyncClient]:
    """An agent's client, and of the agent API."""
    about = (await http.post("/reset", json={})).json()["metadata"]
    headers = {"authorization": f"Bearer {about['agent_token']}"}
    async with httpx.AsyncClient(base_url=about["agent_urls"]["rest"], headers=headers) as client:
        yield client


async def test_pages_name_no_other_host(http: httpx.AsyncClient, agent: httpx.AsyncClient) -> None:
    episode = await started(http)
    clients = {"orchestrator": http, "agent_api": agent}
    asked = {"episode_id": episode, "format": "html"}
    known = {"{name}": "vendor_onboarding", "{episode_id}": episode, "{env_name}": "companyos"}

    pages = {}
    for listener, path in READ:
        if listener in LISTENERS:
            for name, value in known.items():
                path = path.replace(name, value)
            answer = await clients[listener].get(path, params=asked, headers={"accept": "text/html"})
            if answer.headers.get("content-type", "").startswith("text/html"):
                pages[path] = foreign_sources(answer.text, httpx.URL(str(http.base_url)).netloc.decode())

    assert pages == {
        path: [] for path in ("/", "/docs", "/redoc", "/render", "/watch", "/web/", "/web/{page}")
    }


@pytest.mark.parametrize("path", ["/docs", "/redoc"])
async def test_the_documentation_names_every_route_and_model(http: httpx.AsyncClient, path: str) -> None:
    document = (await http.get("/openapi.json")).json()

    answer = await http.get(path)

    page = unescape(answer.text)
    routes = [
        f"<strong>{method.upper()}</strong> <code>{route}</code> {operation['summary']}"
        for route, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    models = document["components"]["schemas"]
    fields = {name for model in models.values() for name in model.get("properties", ())}
    assert answer.status_code == 200
    assert [route for route in routes if route not in page] == []
    assert [name for name in models if f'id="model-{name}"' not in page] == []
    assert [name for name in fields if f"<code>{name}</code>" not in page] == []
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "<script" not in page


def test_an_address_of_another_host_is_found_in_every_place() -> None:
    page = """<script src=https://cdn.example/x.js></script><img src="/y.png"><a href='//other.example/z'>z</a>
    <style>@import "https://fonts.example/a.css"; p { background: url(http://pictures.example/b.png) }</style>"""

    assert foreign_sources(page, "127.0.0.1:8000") == [
        "https://cdn.example/x.js",
        "//other.example/z",
        "https://fonts.example/a.css",
        "http://pictures.example/b.png",
    ]
