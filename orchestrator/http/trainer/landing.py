"""The landing page of the trainer API: its purpose, the first calls, and links."""

from __future__ import annotations

from fastapi import APIRouter, Request
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.responses import HTMLResponse, Response

from ..messages.openapi import ABOUT, failures
from .company_page import PAGE_HEADERS

#: The page only contains links, so any other page may show it in a frame, as a Hugging Face Space does.
HEADERS = {
    **PAGE_HEADERS,
    "Content-Security-Policy": PAGE_HEADERS["Content-Security-Policy"].replace("'self'", "*"),
}

router = APIRouter()
PAGES = Environment(
    loader=PackageLoader("orchestrator.http.trainer"),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
)


@router.get("/", summary="Show what there is here", response_class=HTMLResponse, responses=failures())
async def landing(request: Request) -> Response:
    page = PAGES.get_template("landing.html").render(
        description=ABOUT,
        url=_url(request),
        scenarios=request.app.state.episodes.scenarios(),
    )
    return HTMLResponse(page, headers=HEADERS)


def _url(request: Request) -> str:
    """Return the URL of this server as the reader sees it, with the scheme that a proxy may report."""
    scheme = request.headers.get("x-forwarded-proto", request.url.scheme)
    return str(request.base_url.replace(scheme="https" if scheme == "https" else "http")).rstrip("/")
