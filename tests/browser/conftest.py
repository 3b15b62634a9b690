"""Chromium, pages in it that must not complain, and a folder for what they look like."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from companyos.client.pages.chromium import PROGRAMS
from tests.result_pages import Results, companyos, results, viewer_url

__all__ = ["results", "viewer_url"]

#: Set to `required`, a browser that is missing fails the tests.
REQUIRED = "COMPANYOS_BROWSER"
SCREENSHOTS = Path(os.environ.get("COMPANYOS_SCREENSHOTS", Path(__file__).parents[2] / "screenshots"))

Opening = Callable[..., AbstractContextManager[Page]]


def launch_arguments() -> list[str]:
    """Return the options of Chromium, whose sandbox refuses to be run by root."""
    return ["--no-sandbox"] if os.geteuid() == 0 else []


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium; where there is none, tests are skipped."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        missing = pytest.fail if os.environ.get(REQUIRED) == "required" else pytest.skip
        missing("no Chromium is installed; on Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=launch_arguments())
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Browser) -> Opening:
    """Opens an address in a window; at the end the page must have had no complaint and asked nobody else."""

    @contextmanager
    def open_page(
        address: str, *, width: int = 1280, scheme: str = "light", scripts: bool = True
    ) -> Iterator[Page]:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]
            java_script_enabled=scripts,
            reduced_motion="reduce",
        )
        page, complaints, asked = context.new_page(), list[str](), list[str]()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        yield page
        home = re.match(r"file:|https?://[^/]+/", address)
        assert home is not None
        assert complaints == []
        assert [url for url in asked if not url.startswith(home[0])] == []
        context.close()

    return open_page


@pytest.fixture(scope="session")
def report(results: Results, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a report on the runs, as a file."""
    out = tmp_path_factory.mktemp("report") / "report.html"
    companyos(results.home, "report", *map(str, results.runs.values()), "--out", str(out))
    return out.as_uri()


@pytest.fixture
def kept() -> Callable[[Page, str], None]:
    """Keeps a picture of a page."""

    def keep(page: Page, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        # What sticks to the edges of the window is at the edges of the picture.
        size = page.viewport_size or {"width": 1280}
        height = page.evaluate("() => document.documentElement.scrollHeight")
        page.set_viewport_size({"width": size["width"], "height": height})
        page.screenshot(path=SCREENSHOTS / f"{name}.png")

    return keep
