"""A browser of pictures: shows the pages of one episode in Chromium, and acts on them by places, text and keys.

One page gives one picture, byte for byte, with one release of Chromium on one kind of processor.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

import httpx

from .actions import BrowserActionError, BrowserRestarted, PageLost, address_of, perform
from .chromium import HEIGHT, WIDTH, BrowserGone, shared_chromium
from .picture import JPEG, PNG, QUALITY, Picture

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page, Request, Response, Route

#: What says how long a body is as it was sent, and not as it was read.
_LENGTHS: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})
#: The keys that may be pressed: those that write or move within a page, and none that opens another window.
KEYS: Final = (
    "Enter",
    "Tab",
    "Shift+Tab",
    "Escape",
    "Space",
    "Backspace",
    "Delete",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "Control+a",
)
TIMEOUT_S: Final = 60.0
#: Added to the pages' own style: nothing blinks or moves, and the options of a field are drawn within the page.
_STYLE: Final = """
* { caret-color: transparent !important; transition: none !important; animation: none !important; }
select { appearance: base-select; align-items: center; }
::picker(select) { appearance: base-select; }
"""
#: Scrolls what can be scrolled that way in the middle of the window: a wide table, or the page.
_SCROLL: Final = """([dx, dy]) => {
  let each = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  while (each && (dy || each.scrollWidth <= each.clientWidth)) each = each.parentElement;
  (each ?? window).scrollBy({ left: dx, top: dy, behavior: "instant" });
}"""
_POSITION: Final = "() => [Math.round(scrollY), document.documentElement.scrollHeight]"


class PixelBrowser:
    """A browser of the pages of one episode, which requests nothing else.

    Attributes:
        url: The address of the page.
        title: Its title.
        status: Its HTTP status.
        picture: What the window shows.

    Args:
        url: The address of the pages, `agent_urls["web"]`.
        token: The agent's token.
        media_type: The format of pictures, `image/png` or `image/jpeg`.

    Raises:
        BrowserMissing: Playwright or Chromium is not installed.
    """

    picture: Picture
    _page: Page
    _session: CDPSession

    def __init__(self, url: str, token: str, media_type: str = PNG) -> None:
        self._home, self._past = str(httpx.URL(url)), list[str]()
        self.url, self.title, self.status = url, "", 0
        self._token, self._media_type = token, media_type
        self._assets: dict[str, dict[str, Any]] = {}
        #: The page that arrived last, with its address.
        self._document: tuple[str, dict[str, Any]] | None = None
        self._is_restoring = False
        self._is_leaving = self._is_gone = False
        self._failure = self._elsewhere = ""
        self._chromium = shared_chromium()
        self._chromium.wait_for(self._open())

    def __enter__(self) -> Self:
        self.goto(self._home)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the window."""
        if not self._is_gone:
            self._chromium.wait_for(self._page.context.close())

    def perform(self, name: str, arguments: Sequence[Any]) -> None:
        """Carry out an action by its name.

        Raises:
            BrowserActionError: There is no such action, or it cannot be carried out.
            BrowserRestarted: Chromium ended, or crashed, and shows the page anew. The action may have been carried out.
            PageLost: No page arrived. The action may have been carried out.
            BrowserGone: Chromium ended, and cannot be started anew.
        """
        actions: Mapping[str, Callable[..., None]] = {
            "mouse_click": self.mouse_click,
            "keyboard_type": self.keyboard_type,
            "keyboard_press": self.keyboard_press,
            "scroll": self.scroll,
            "goto": self.goto,
            "go_back": self.go_back,
            "noop": lambda: None,
        }
        perform(actions, name, arguments)

    def mouse_click(self, x: float, y: float) -> None:
        """Click at a place of the picture, in pixels from its left upper corner."""
        if not (0 <= _number(x) < WIDTH and 0 <= _number(y) < HEIGHT):
            raise BrowserActionError(f"({x}, {y}) is outside the picture, which is {WIDTH} by {HEIGHT}.")
        self._act(self._click(_number(x), _number(y)))

    def keyboard_type(self, text: str) -> None:
        """Write text where the focus is."""
        self._act(self._page.keyboard.insert_text(str(text)))

    def keyboard_press(self, key: str) -> None:
        """Press a key, one of `KEYS`."""
        if key not in KEYS:
            raise BrowserActionError(f"{key!r} is none of {', '.join(KEYS)}.")
        self._act(self._page.keyboard.press(key))

    def scroll(self, delta_x: float, delta_y: float) -> None:
        """Scroll by so many pixels, to the right and down."""
        self._act(self._page.evaluate(_SCROLL, [_number(delta_x), _number(delta_y)]))

    def goto(self, url: str) -> None:
        """Open an address, relative to the page; others than the pages' own are refused."""
        target = address_of(url, self.url, self._home)
        self._act(self._page.goto(target, timeout=1000 * TIMEOUT_S))

    def go_back(self) -> None:
        """Open the page before this one again."""
        past = [*self._past]
        self.goto(past.pop() if past else self._home)
        self._past = past

    async def _open(self) -> None:
        headers = {"Authorization": f"Bearer {self._token}"}
        context = await self._chromium.open_context(extra_http_headers=headers)
        await context.route("**/*", self._admit)
        self._page = page = await context.new_page()
        self._arrived = asyncio.Event()
        page.on("load", lambda _: self._arrived.set())
        page.on("response", self._note_status)
        page.on("requestfailed", self._note_failure)
        page.on("crash", self._note_end)
        page.on("close", self._note_end)
        self._session = await context.new_cdp_session(page)
        for event in ("Page.frameRequestedNavigation", "Page.frameScheduledNavigation"):
            self._session.on(event, self._note_leaving)
        await self._session.send("Page.enable")

    async def _restore(self) -> None:
        """Open another window and show the page that arrived last, for which nobody is asked."""
        self._is_gone, self._is_restoring = False, True
        try:
            await self._open()
            if self._document is not None:
                await self._page.goto(self._document[0], timeout=1000 * TIMEOUT_S)
                await self._look()
        finally:
            self._is_restoring = False

    async def _admit(self, route: Route) -> None:
        """Answer a request for the episode's pages, and no other; without an answer the window stays as it is."""
        from playwright.async_api import Error

        if not route.request.url.startswith(self._home):
            self._elsewhere = route.request.url
            await route.abort("aborted")
            return
        try:
            answer = await self._answer_to(route)
        except Error as failure:
            self._failure = _reason(failure)
            await route.abort("aborted")
        else:
            await route.fulfill(**answer)

    async def _answer_to(self, route: Route) -> dict[str, Any]:
        """Return the answer to a request; the style and the fonts are asked for once."""
        address, kind = route.request.url, route.request.resource_type
        if address in self._assets:
            return self._assets[address]
        if self._is_restoring and self._document is not None and kind == "document":
            return self._document[1]
        response = await route.fetch(timeout=1000 * TIMEOUT_S)
        body = await response.body() + (_STYLE.encode() if kind == "stylesheet" else b"")
        headers = {name: value for name, value in response.headers.items() if name not in _LENGTHS}
        answer = {"status": response.status, "headers": headers, "body": body}
        if kind in ("stylesheet", "font"):
            self._assets[address] = answer
        elif kind == "document":
            self._document = (address, answer)
        return answer

    def _note_leaving(self, _: Mapping[str, Any]) -> None:
        self._is_leaving = True

    def _note_status(self, response: Response) -> None:
        if response.request.is_navigation_request():
            self.status = response.status

    def _note_failure(self, request: Request) -> None:
        if request.is_navigation_request():
            self._arrived.set()

    def _note_end(self, _: Page) -> None:
        self._is_gone = True
        self._arrived.set()

    async def _click(self, x: float, y: float) -> None:
        await self._page.mouse.click(x, y)

    def _act(self, action: Coroutine[Any, Any, Any]) -> None:
        self._chromium.wait_for(self._carry_out(action))

    async def _carry_out(self, action: Coroutine[Any, Any, Any]) -> None:
        """Carry out an action, wait for the page that it leads to, if it leads to one, and look at it."""
        from playwright.async_api import Error

        self._is_leaving, self._failure, self._elsewhere = False, "", ""
        self._arrived.clear()
        try:
            await action
            # The answer comes after the events of what the action began in the page.
            await self._session.send("Page.enable")
            if self._is_leaving:
                await asyncio.wait_for(self._arrived.wait(), TIMEOUT_S)
            await self._look()
        except (Error, TimeoutError) as failure:
            if self._is_gone:
                await self._restart(failure)
            if not self._elsewhere:
                raise PageLost(self._failure or _reason(failure)) from failure
        if self._elsewhere:
            raise BrowserActionError(f"{self._elsewhere[:200]!r} is not a page of the company.")
        if self._failure:
            raise PageLost(self._failure)

    async def _restart(self, failure: Exception) -> None:
        """Show the page in a Chromium that is started anew unless it still runs, and say so by an error."""
        from playwright.async_api import Error

        try:
            await self._restore()
        except (Error, TimeoutError) as second:
            self._is_gone = True
            raise BrowserGone(f"Chromium ended during the episode: {_reason(second)}") from second
        raise BrowserRestarted(
            "The browser ended and was started anew. The page is as it arrived, and what was typed in it is lost."
        ) from failure

    async def _look(self) -> None:
        # Nothing is under a mouse that has left the window.
        await self._page.mouse.move(-1, -1)
        if self._page.url != self.url:
            self._past.append(self.url)
        self.url, self.title = self._page.url, await self._page.title()
        data = await self._page.screenshot(caret="initial", **self._format)
        top, height = await self._page.evaluate(_POSITION)
        browser = self._page.context.browser
        version = f"Chromium {browser.version if browser else ''}"
        self.picture = Picture(data, self._media_type, top, height, version)

    @property
    def _format(self) -> dict[str, Any]:
        return {"type": "jpeg", "quality": QUALITY} if self._media_type == JPEG else {"type": "png"}


def _reason(failure: Exception) -> str:
    """Return why Playwright failed, without its log of the call, in which the token is."""
    return str(failure).partition("\n")[0] or type(failure).__name__


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise BrowserActionError(f"{str(value)[:40]!r} is not a number of pixels.") from None
