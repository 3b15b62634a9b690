"""The API documentation as one page of HTML, written from the OpenAPI document; it loads nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from .landing import HEADERS, PAGES

#: The limits of a schema that the page shows, in words.
LIMITS: Final = {
    "minimum": "at least",
    "exclusiveMinimum": "over",
    "maximum": "at most",
    "minLength": "length at least",
    "maxLength": "length at most",
    "minItems": "items at least",
    "maxItems": "items at most",
}
CODE = re.compile(r"`([^`]+)`")

router = APIRouter(include_in_schema=False)


@router.get("/docs", response_class=HTMLResponse)
@router.get("/redoc", response_class=HTMLResponse)
async def docs(request: Request) -> Response:
    page = PAGES.get_template("docs.html").render(_content(request.app.openapi()))
    return HTMLResponse(page, headers=HEADERS)


def code_marked(text: str) -> Markup:
    """Return text as HTML, with what is in backticks as code."""
    code = Markup("<code>{}</code>")
    parts = enumerate(CODE.split(text))
    return Markup("").join(code.format(part) if number % 2 else part for number, part in parts)


def _content(document: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "info": document["info"],
        "sections": _sections(document["paths"]),
        "models": document["components"]["schemas"],
        "limits": LIMITS,
    }


def _sections(paths: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the operations by tag, in the order of the document."""
    optional: dict[str, Any] = {"description": "", "parameters": [], "requestBody": None}
    sections: dict[str, list[dict[str, Any]]] = {}
    for path, ways in paths.items():
        for method, operation in ways.items():
            tag = operation.get("tags", ["Pages"])[0]
            named = {"method": method.upper(), "path": path}
            sections.setdefault(tag, []).append({**optional, **operation, **named})
    return sections


PAGES.filters["code_marked"] = code_marked
