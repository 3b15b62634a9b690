"""Measures the doors side by side: the same reads as calls, as pages, as text of pages and as pictures of them."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urljoin

import httpx

from companyos import CompanyosEnv
from companyos.client.pages.pixel_browser import PixelBrowser
from companyos.client.pages.pixel_door import PixelDoorEnv
from companyos.client.pages.text_browser import TextBrowser
from companyos.client.pages.text_door import TextDoorEnv
from companyos.evaluation.runs.players.doors import tools_at

from .figures import Measurement, percentile

TASK: Final[Mapping[str, Any]] = {
    "scenario": "vendor_onboarding",
    "seed": 7,
    "chaos": 0,
    "max_steps": 1000,
    "tools": "all",
}
READS: Final = (
    "ticketdesk_list_tickets",
    "datahub_list_people",
    "datahub_list_metrics",
    "approvalflow_list_approvals",
)
#: Windows of pictures at once.
WINDOWS: Final = 16
#: A common estimate of what a token is.
LETTERS_A_TOKEN: Final = 4
DOORS: Final = {"calls": CompanyosEnv, "text": TextDoorEnv, "pictures": PixelDoorEnv}

#: Reads something by its tool, and returns what the agent gets.
Read = Callable[[str], str | bytes]


def doors(url: str, count: int) -> list[Measurement]:
    """Measure the steps of each door, what an agent gets at one, its resets, and many windows at once."""
    figures = [figure for name, door in DOORS.items() for figure in _resets(url, name, door, count // 10)]
    with CompanyosEnv(url) as env:
        for name, reading in (
            ("call over REST", _calls),
            ("page over REST", _pages),
            ("page as text", _texts),
            ("page as a picture", _pictures),
        ):
            env.reset(**TASK)
            with reading(env.agent_access) as read:
                figures += _steps(name, read, count)
    return [*figures, *_windows(url, max(4, count // 20))]


def _resets(url: str, name: str, door: type[CompanyosEnv], count: int) -> list[Measurement]:
    """Return the time to a new episode's first observation; the first of all, which starts a browser, is left out."""
    with door(url) as env:
        env.reset(**TASK)
        times = [_timed(lambda: env.reset(**TASK))[0] for _ in range(max(3, count))]
    return [_times_figure(f"reset: {name}", times)]


def _steps(name: str, read: Read, count: int) -> list[Measurement]:
    tools = itertools.cycle(READS)
    found = [_timed(lambda: read(next(tools))) for _ in range(count)]
    sizes = [len(seen) if isinstance(seen, bytes) else len(seen.encode()) for _, seen in found]
    texts = [len(seen) / LETTERS_A_TOKEN for _, seen in found if isinstance(seen, str)]
    figures = [
        _times_figure(f"step: {name}", [time_s for time_s, _ in found]),
        Measurement(f"size: {name}", percentile(sizes, 0.5) / 1000, "KB", detail="median of four lists"),
    ]
    tokens = percentile(texts, 0.5) if texts else 0.0
    return [*figures, *([Measurement(f"tokens: {name}", tokens, "") for _ in texts[:1]])]


def _windows(url: str, count: int) -> list[Measurement]:
    """Measure the steps of many windows at once, which share one Chromium."""

    def play(_: int) -> list[float]:
        with CompanyosEnv(url) as env:
            env.reset(**TASK)
            with _pictures(env.agent_access) as read:
                return [_timed(lambda tool=tool: read(tool))[0] for tool in (READS * count)[:count]]  # type: ignore[misc]

    with ThreadPoolExecutor(WINDOWS) as threads:
        whole_s, times = _timed(lambda: [one for each in threads.map(play, range(WINDOWS)) for one in each])
    rate = Measurement("pictures/s, with resets", len(times) / whole_s, "/s", lower_is_better=False)
    return [_times_figure(f"step: page as a picture, {WINDOWS} windows at once", times), rate]


def _client(access: Mapping[str, Any]) -> httpx.Client:
    return httpx.Client(headers={"Authorization": f"Bearer {access['agent_token']}"}, timeout=600)


@contextmanager
def _calls(access: Mapping[str, Any]) -> Iterator[Read]:
    web = access["agent_urls"]["web"]
    paths = {name: tool["path"].lstrip("/") for name, tool in tools_at(web, access["agent_token"]).items()}
    with _client(access) as client:
        yield lambda tool: client.get(urljoin(web, f"../{paths[tool]}")).raise_for_status().text


@contextmanager
def _pages(access: Mapping[str, Any]) -> Iterator[Read]:
    with _client(access) as client:
        yield lambda tool: client.get(urljoin(access["agent_urls"]["web"], tool)).raise_for_status().text


@contextmanager
def _texts(access: Mapping[str, Any]) -> Iterator[Read]:
    with TextBrowser(access["agent_urls"]["web"], access["agent_token"]) as browser:

        def open_outline(tool: str) -> str:
            browser.goto(tool)
            return browser.outline

        yield open_outline


@contextmanager
def _pictures(access: Mapping[str, Any]) -> Iterator[Read]:
    with PixelBrowser(access["agent_urls"]["web"], access["agent_token"]) as browser:

        def open_picture(tool: str) -> bytes:
            browser.goto(tool)
            return browser.picture.data

        yield open_picture


def _timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long an action took, in seconds, and what it returned."""
    started = time.perf_counter()
    result = action()
    return time.perf_counter() - started, result


def _times_figure(name: str, times_s: Sequence[float]) -> Measurement:
    p50, p95 = (percentile(times_s, share) * 1e3 for share in (0.5, 0.95))
    return Measurement(name, p50, "ms", detail=f"p95 {p95:.0f}, n {len(times_s)}")
