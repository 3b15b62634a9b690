"""The landing page of the trainer API: its purpose, the first calls, and links."""

from __future__ import annotations

from fastapi import APIRouter, Request
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.responses import HTMLResponse, Response

from ..messages.openapi import ABOUT, failures
from .company_page import PAGE_HEADERS

router = APIRouter()
_pages = Environment(
    loader=PackageLoader("orchestrator.http.trainer"),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
)


@router.get("/", summary="Show what there is here", response_class=HTMLResponse, responses=failures())
async def landing(request: Request) -> Response:
    page = _pages.get_template("landing.html").render(
        description=ABOUT,
        url=str(request.base_url).rstrip("/"),
        scenarios=request.app.state.episodes.scenarios(),
    )
    return HTMLResponse(page, headers=PAGE_HEADERS)
