"""The landing page of the trainer API: a task to play in the browser, the first calls, and links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, quote

from fastapi import APIRouter, Request
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from pydantic import ValidationError
from starlette.responses import HTMLResponse, RedirectResponse, Response

from companyos.sdk.chaos import NAMES

from ...protocol.options import ResetOptions
from ...protocol.problems import Refusal
from ..messages.answers import Invalid, flaws_of
from ..messages.openapi import ABOUT, failures
from .company_page import PAGE_HEADERS, templates

#: The page shows no episode and can only begin one, so any other page may show it in a frame, as a Hugging Face Space
#: does. Without a referrer, browsers would hide the origin of its form, which the guard asks for.
HEADERS = {
    **PAGE_HEADERS,
    "Referrer-Policy": "same-origin",
    "Content-Security-Policy": PAGE_HEADERS["Content-Security-Policy"].replace("'self'", "*"),
}

#: What the form calls its fields.
FIELDS: Final[Mapping[str, str]] = {"scenario": "Task", "seed": "Seed", "chaos": "Difficulty"}

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
        levels=NAMES,
    )
    return HTMLResponse(page, headers=HEADERS)


@router.post("/play", include_in_schema=False)
async def play(request: Request) -> Response:
    """Start the episode that the form of the landing page names, and lead the browser to its pages.

    A browser that sent what is refused gets a page that says what is wrong, and a program a problem document.
    """
    try:
        return await _begin(request)
    except (Invalid, Refusal) as refused:
        if "text/html" not in request.headers.get("accept", ""):
            raise
        flaws = flaws_of(refused) if isinstance(refused, Refusal) else refused.flaws
        page = templates.get_template("refused.html").render(
            flaws=[
                (
                    FIELDS.get(".".join(map(str, flaw["loc"])), ""),
                    flaw["msg"].replace("Input should", "This should"),
                )
                for flaw in flaws
            ]
        )
        return HTMLResponse(page, 422 if isinstance(refused, Invalid) else refused.status, headers=HEADERS)


async def _begin(request: Request) -> Response:
    chosen = dict(parse_qsl((await request.body()).decode(errors="replace")))
    try:
        options = ResetOptions.model_validate({**chosen, "tools": "scenario"})
    except ValidationError as error:
        raise Invalid.of(error) from None
    opened = (await request.app.state.episodes.reset(options)).metadata
    link = f"{opened['agent_urls']['web']}enter?token={quote(opened['agent_token'], safe='')}"
    return RedirectResponse(link, 303, headers=HEADERS)


def _url(request: Request) -> str:
    """Return the URL of this server as the reader sees it, with the scheme that a proxy may report."""
    scheme = request.headers.get("x-forwarded-proto", request.url.scheme)
    return str(request.base_url.replace(scheme="https" if scheme == "https" else "http")).rstrip("/")
