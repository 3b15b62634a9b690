"""Watching episodes in a browser: which there are, and one of them with its steps as they happen.

A page that may still change asks the browser to load it again; no script runs.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from ...episodes.facade import Episodes
from .company_page import PAGE_HEADERS, company_html, templates

#: Seconds after which a page that may change is loaded again.
AGAIN_S: Final = 3
#: The most running episodes that are listed, and the most ended ones.
MOST: Final = 50

router = APIRouter(include_in_schema=False)


@router.get("/watch", response_class=HTMLResponse)
async def watch(
    request: Request, episode_id: Annotated[str | None, Query(min_length=1, max_length=255)] = None
) -> Response:
    episodes: Episodes = request.app.state.episodes
    if episode_id is None:
        running, ended = [await episodes.newest(done=done, limit=MOST) for done in (False, True)]
        page = templates.get_template("watch.html").render(running=running, ended=ended)
        return _page(page, may_change=True)
    company, summary = await episodes.company(episode_id), await episodes.episode(episode_id)
    graded: dict[str, Any] = {"grade": await episodes.grade(episode_id)} if company["done"] else {}
    page = company_html({**company, **graded, "summary": summary, "steps": company["steps"][::-1]})
    return _page(page, may_change=not company["done"])


def _page(page: str, *, may_change: bool) -> Response:
    again = {"Refresh": str(AGAIN_S)} if may_change else {}
    return HTMLResponse(page, headers={**PAGE_HEADERS, "Cache-Control": "no-store", **again})
