"""The viewer's web application: pages that load nothing external, work without scripts and change nothing shown."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from ..pages import STYLE, templates
from ..report import report_page
from .episodes import EpisodeView
from .folders import RunShelf
from .lists import EpisodeFilter, episode_rows, live_rows, run_address, run_rows
from .live import LiveStack, StackSilent

#: The accepted host names. A foreign name that resolves to this machine (DNS rebinding) is rejected.
HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")
_POLICY: Final = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
#: A report embeds its style sheet and has no scripts.
_REPORT_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_STATIC: Final = files(__package__) / "static"
_TEMPLATES: Final = templates(__package__)


def viewer_app(shelf: RunShelf, stack: LiveStack | None = None) -> Starlette:
    """Return the viewer of these runs and, if there is one, of a running stack."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        if stack is not None:
            await stack.close()

    pages = _Pages(shelf, stack)
    return Starlette(
        routes=[
            Route("/", pages.index),
            Route("/style.css", pages.style),
            Route("/keys.js", pages.keys),
            Route("/icon.svg", pages.icon),
            Route("/report", pages.report),
            Route("/runs/{run}", pages.run),
            Route("/runs/{run}/{key}", pages.recorded),
            Route("/runs/{run}/{key}/{step:int}", pages.recorded, methods=["GET", "POST"]),
            Route("/live", pages.live),
            Route("/live/episode", pages.live_episode, methods=["GET", "POST"]),
            Route("/live/count", pages.live_count),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(HOSTS))],
        exception_handlers={HTTPException: _not_found, StackSilent: _silent},
        lifespan=lifespan,
    )


class _Pages:
    def __init__(self, shelf: RunShelf, stack: LiveStack | None) -> None:
        self._shelf = shelf
        self._stack = stack

    async def index(self, request: Request) -> Response:
        runs = self._shelf.runs()
        return _page("index.html", runs=run_rows(runs), stack=self._stack)

    async def style(self, request: Request) -> Response:
        sheet = f"{STYLE}\n{(_STATIC / 'viewer.css').read_text(encoding='utf-8')}"
        return Response(sheet, media_type="text/css", headers=_HEADERS)

    async def keys(self, request: Request) -> Response:
        script = (_STATIC / "keys.js").read_bytes()
        return Response(script, media_type="text/javascript", headers=_HEADERS)

    async def icon(self, request: Request) -> Response:
        picture = (_STATIC / "icon.svg").read_bytes()
        return Response(picture, media_type="image/svg+xml", headers=_HEADERS)

    async def report(self, request: Request) -> Response:
        known = self._shelf.runs()
        named = {name: known[name] for name in request.query_params.getlist("run") if name in known}
        chosen = {run_address(name): run for name, run in named.items() if run.episodes}
        if not chosen:
            raise HTTPException(404)
        headers = {**_HEADERS, "Content-Security-Policy": _REPORT_POLICY}
        return HTMLResponse(report_page(list(chosen.values()), list(chosen)), headers=headers)

    async def run(self, request: Request) -> Response:
        name = request.path_params["run"]
        run = self._shelf.run(name)
        if run is None:
            raise HTTPException(404)
        wanted = EpisodeFilter.of(request.query_params)
        rows = episode_rows(name, run, wanted)
        return _page("run.html", name=name, run=run, wanted=wanted, rows=rows)

    async def recorded(self, request: Request) -> Response:
        name, key = request.path_params["run"], request.path_params["key"]
        episode = self._shelf.episode(name, key)
        link = run_address(name)
        step = request.path_params.get("step", 0)
        links = {number: f"{link}/{quote(key, safe='')}/{number}" for number in range(_steps(episode) + 1)}
        links[0] = f"{link}/{quote(key, safe='')}"
        oracle = self._oracle()
        if _asks(request, step, episode):
            oracle["advice"] = await self._running().advice(self._shelf.trace(name, key), step)
        return _episode_page(episode, step, links, link, name, **oracle)

    async def live(self, request: Request) -> Response:
        rows = live_rows(await self._running().episodes())
        return _page("live.html", stack=self._stack, rows=rows)

    async def live_episode(self, request: Request) -> Response:
        episode_id = request.query_params.get("id", "")
        episode = await self._running().episode(episode_id) if episode_id else None
        link = f"/live/episode?id={quote(episode_id, safe='')}"
        links = {number: f"{link}&step={number}" for number in range(_steps(episode) + 1)}
        asked = request.query_params.get("step", "0")
        step = _steps(episode) if asked == "last" else _number(asked)
        oracle = self._oracle()
        if _asks(request, step, episode):
            oracle["advice"] = await self._running().advice(await self._running().trace(episode_id), step)
        return _episode_page(episode, step, links, "/live", "live episodes", watch=episode_id, **oracle)

    async def live_count(self, request: Request) -> Response:
        """Return how many steps an episode has, for a page that waits for the next one."""
        summary = await self._running().summary(request.query_params.get("id", ""))
        if summary is None:
            raise HTTPException(404)
        return JSONResponse({"steps": summary["step_count"], "done": summary["done"]}, headers=_HEADERS)

    def _oracle(self) -> dict[str, Any]:
        """Return whether a stack can be asked for the oracle's advice, and that there is none yet."""
        return {"has_oracle": self._stack is not None, "advice": None}

    def _running(self) -> LiveStack:
        if self._stack is None:
            raise HTTPException(404)
        return self._stack


def _episode_page(
    episode: EpisodeView | None,
    step: int,
    links: Mapping[int, str],
    up: str,
    list_name: str,
    watch: str = "",
    **oracle: Any,
) -> Response:
    """Return the page of an episode at a step; step 0 is the page about the whole."""
    if episode is None or step not in links:
        raise HTTPException(404)
    services = {service: index for index, service in enumerate(episode.services)}
    shared: dict[str, Any] = {
        "episode": episode,
        "links": links,
        "up": up,
        "list_name": list_name,
        "services": services,
    }
    at: dict[str, Any] = {"number": step, "last": max(links), "watch": watch if episode.is_open else ""}
    if step == 0:
        return _page("episode.html", **shared, **at)
    return _page("step.html", **shared, **at, **oracle, step=episode.steps[step - 1])


def _asks(request: Request, step: int, episode: EpisodeView | None) -> bool:
    """Return whether the button of a step's page was pressed, which no page from elsewhere may do."""
    if request.method != "POST":
        return False
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise HTTPException(403)
    return 0 < step <= _steps(episode)


def _number(text: str) -> int:
    """Return the number of a step in an address, or -1 if it is none that an episode can have."""
    return int(text) if text.isdecimal() and len(text) < 9 else -1


def _steps(episode: EpisodeView | None) -> int:
    return len(episode.steps) if episode else 0


def _page(template: str, *, status: int = 200, **values: Any) -> Response:
    page = _TEMPLATES.get_template(template).render(values)
    return HTMLResponse(page, status_code=status, headers=_HEADERS)


async def _not_found(request: Request, failure: Exception) -> Response:
    status = failure.status_code if isinstance(failure, HTTPException) else 404
    return _page(
        "missing.html", status=status, title="Not found", why="There is no such page, run, episode or step."
    )


async def _silent(request: Request, failure: Exception) -> Response:
    return _page("missing.html", status=502, title="No answer", why=str(failure))
