"""The Chromium of this process, which its browsers of pictures share; each has a context, and so cookies, of its own.

Playwright runs on an event loop in a thread of its own, so that blocking callers can wait for it from any other.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Coroutine
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ..errors import CompanyosError

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright

T = TypeVar("T")

#: What a picture shows, in pixels.
WIDTH: Final = 1280
HEIGHT: Final = 720
#: The longest wait for the end of what drives Chromium.
STOP_S: Final = 5.0
INSTALL_PLAYWRIGHT: Final = "pip install 'openenv-companyos[browser]'"
INSTALL_CHROMIUM: Final = "python -m playwright install --with-deps chromium-headless-shell"
#: Chromium as Linux distributions name it, where Playwright has none of its own.
PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
#: One page gives one picture: drawn in whole, without the machine's settings of fonts and colors, and without motion.
ARGUMENTS: Final = (
    "--disable-partial-raster",
    "--disable-gpu",
    "--disable-lcd-text",
    "--disable-smooth-scrolling",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
)
_STARTING: Final = threading.Lock()


class BrowserMissing(CompanyosError):
    """Playwright or its Chromium is not installed. The message has the command that installs it."""


class BrowserGone(CompanyosError):
    """Chromium ended, or crashed, during an episode, and could not be started anew."""


class Chromium:
    """A Chromium that starts with the first context."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._starting = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        threading.Thread(target=self._loop.run_forever, name="chromium", daemon=True).start()

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine returns that drives this Chromium."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def open_context(self, **options: Any) -> BrowserContext:
        """Open a context whose pictures depend on nothing but its pages.

        Raises:
            BrowserMissing: Playwright or Chromium is not installed.
        """
        return await (await self._running_browser()).new_context(
            viewport={"width": WIDTH, "height": HEIGHT},
            device_scale_factor=1,
            color_scheme="light",
            reduced_motion="reduce",
            locale="en-US",
            timezone_id="UTC",
            java_script_enabled=False,
            accept_downloads=False,
            **options,
        )

    def start(self) -> str:
        """Start it unless it runs, and return its version.

        Raises:
            BrowserMissing: Chromium is not installed.
        """
        return self.wait_for(self._running_browser()).version

    def stop(self) -> None:
        """End it, if it runs, and all of its contexts; another context starts it anew."""
        self.wait_for(self._end())

    async def _running_browser(self) -> Browser:
        """Return the browser, started unless it runs."""
        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                await self._end()
                self._playwright, self._browser = await _launch()
            return self._browser

    async def _end(self) -> None:
        """End the browser and the program that drives it; either may be gone already, or answer no more."""
        from playwright.async_api import Error

        driver, self._playwright, self._browser = self._playwright, None, None
        if driver is not None:
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(driver.stop(), STOP_S)


def shared_chromium() -> Chromium:
    """Return the Chromium of this process.

    Raises:
        BrowserMissing: Playwright is not installed.
    """
    if find_spec("playwright") is None:
        raise BrowserMissing(f"Pictures of pages need Playwright: {INSTALL_PLAYWRIGHT}")
    with _STARTING:
        return _chromium_of(os.getpid())


@cache
def _chromium_of(process: int) -> Chromium:
    """Return the Chromium of a process; a thread does not live on in a fork."""
    return Chromium()


async def _launch() -> tuple[Playwright, Browser]:
    from playwright.async_api import async_playwright

    playwright = await async_playwright().start()
    program = _program(playwright.chromium.executable_path)
    if program is None:
        await playwright.stop()
        raise BrowserMissing(f"Pictures of pages need Chromium: {INSTALL_CHROMIUM}")
    return playwright, await playwright.chromium.launch(executable_path=program, args=ARGUMENTS)


def _program(own: str) -> str | None:
    """Return the program of Playwright's own Chromium if it is there, or else the machine's; None without any."""
    return own if Path(own).exists() else next(filter(None, map(shutil.which, PROGRAMS)), None)
