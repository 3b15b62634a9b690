"""The company page: a company's apps, clock and last steps, as text, HTML or JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query, Request
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from companyos.sdk.simtime import to_iso

from ..messages.answers import Json
from ..messages.openapi import failures

router = APIRouter(tags=["Episodes"])

MAX_CELL = 120
#: Columns that hold simulated seconds.
TIME_COLUMN = re.compile(r"(^|_)(at|due|until|as_of)$")
#: The page runs no scripts and loads nothing, and the content of rows cannot make it do so.
PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class Form(StrEnum):
    """How to show it."""

    TEXT = "text"
    HTML = "html"
    JSON = "json"


@router.get(
    "/render",
    summary="Look at the company of an episode",
    response_class=Response,
    responses={
        200: {
            "description": "The company",
            "content": {"text/plain": {}, "text/html": {}, "application/json": {}},
        },
        **failures(404, 409, 503),
    },
)
async def render(
    request: Request,
    episode_id: Annotated[str, Query(min_length=1, max_length=255)],
    form: Annotated[Form, Query(alias="format")] = Form.TEXT,
) -> Response:
    company = await request.app.state.episodes.company(episode_id)
    match form:
        case Form.JSON:
            return Json(company)
        case Form.HTML:
            return HTMLResponse(company_html(company), headers=PAGE_HEADERS)
        case Form.TEXT:
            return PlainTextResponse(templates.get_template("company.txt").render(company))


def cell(value: Any, name: str = "") -> str:
    """Return a cell of the column `name`: short, on one line, with times as dates."""
    match value:
        case None:
            text = "–"
        case bool():
            text = "yes" if value else "no"
        case int() if TIME_COLUMN.search(name):
            text = to_iso(value)
        case str():
            text = value
        case _:
            text = orjson.dumps(value).decode()
    text = " ".join(text.split())
    return text if len(text) <= MAX_CELL else text[: MAX_CELL - 1] + "…"


def columns(table: Mapping[str, Any]) -> list[str]:
    """Return the columns of a table that have a value in any row."""
    return [
        name for name in table["columns"] if any(row[name] not in (None, [], {}) for row in table["rows"])
    ]


def aligned(table: Mapping[str, Any]) -> list[str]:
    """Return a table as aligned lines of text; a star marks a changed row."""
    names = columns(table)
    rows = table["rows"]
    lines = [
        ["", *names],
        *(["*" if "changed" in row else "", *(cell(row[name], name) for name in names)] for row in rows),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]


def company_html(company: Mapping[str, Any]) -> str:
    """Return the page of a company; with the `summary` of its episode, as somebody watches it."""
    return templates.get_template("company.html").render(company)


def outcome(summary: Mapping[str, Any]) -> str:
    """Return how an episode stands or ended, in a word or two."""
    if not summary["done"]:
        return "running"
    if summary["invalid"]:
        return "invalid"
    return "solved" if summary["success"] else "not solved"


templates = Environment(
    loader=PackageLoader("orchestrator.http.trainer"),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
templates.filters |= {
    "cell": cell,
    "aligned": aligned,
    "columns": columns,
    "date": lambda instant: instant.replace("T", " ").removesuffix("Z"),
    "outcome": outcome,
}
