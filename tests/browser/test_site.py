"""The site in a browser: its pages are found by searching, and ask no other host for anything."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import expect

from tests.site_build import build_site

from .conftest import Opening

PAGES = ("index", "docs/explanation/why", "docs/explanation/performance", "docs/reference/python")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site."""
    folder = tmp_path_factory.mktemp("site")
    build_site(folder)

    class Files(SimpleHTTPRequestHandler):
        def log_message(self, *about: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(Path(folder))))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_site_asks_no_other_host(name: str, site: str, opened: Opening) -> None:
    with opened(f"{site}/{name}.html", scheme="dark") as page:
        page.wait_for_load_state("networkidle")

        expect(page.locator("article h1").first).to_be_visible()


def test_the_search_of_the_site_finds_a_page(site: str, opened: Opening) -> None:
    with opened(f"{site}/index.html") as page:
        page.locator("input[name=query]").first.click()
        page.keyboard.type("counterfactual pair")

        expect(page.locator(".md-search-result__link").first).to_be_visible(timeout=15_000)
