"""The routes of the pages. To look at a page is to call its tool, and so is to submit a form.

An empty form, the task and the overviews of the services show nothing of the world, and are no steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final
from urllib.parse import parse_qsl

import orjson
import structlog
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from companyos.chassis.web.requests import is_text
from companyos.sdk.simtime import to_iso

from ....agent.tools import WAIT, Tool
from ....episodes.agents import Agents, AgentView
from ....protocol.agent_tokens import agent_token_expired
from ....protocol.options import ToolsFormat
from ....protocol.problems import Refusal
from ...messages.answers import PROBLEM_JSON
from ...messages.request_heads import repeated_name
from ..answers import error_status, result_of
from .choosing import Choice, take_choice
from .fields import arguments_of
from .rendering import Pages, Standing, problem_page, style
from .site import is_page, site_of
from .wording import page_words

log = structlog.get_logger(__name__)

PREFIX: Final = "/web/"
ENTER: Final = "/web/enter"
STYLE: Final = "/web/style.css"
#: Inter by weight, its Latin letters, under the SIL Open Font License beside the files.
FONTS: Final[Mapping[str, bytes]] = {
    f"{PREFIX}{name}": files(__package__).joinpath("fonts", name).read_bytes()
    for name in ("inter-400.woff2", "inter-500.woff2", "inter-600.woff2")
}
COOKIE: Final = "companyos_agent"
#: No script runs, nothing is loaded from elsewhere, and no other site frames a page, whatever its texts contain.
#: Without any referrer, browsers would hide the origin of forms, and without their origin they are refused.
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; font-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'self'",
    "Referrer-Policy": "same-origin",
}
HTML: Final = "text/html"
FORM: Final = "application/x-www-form-urlencoded"
#: What pages say of a refusal instead of its code.
_REFUSED: Final[Mapping[str, str]] = {
    "agent_token_expired": "This task has ended",
    "agent_token_invalid": "This link opens no task",
}
#: What pages say of a refusal instead of what programs are told.
_DETAILS: Final[Mapping[str, str]] = {"not_found": "There is no such page."}
#: Headers of a refusal that its page has too.
_KEPT: Final = ("Allow", "Connection", "Retry-After", "WWW-Authenticate")


async def style_sheet(_: Request, __: Agents, ___: str) -> Response:
    """Return the stylesheet, which needs no token because it shows nothing."""
    return Response(style(), media_type="text/css", headers={"Cache-Control": "max-age=3600"})


async def font(request: Request, _: Agents, __: str) -> Response:
    """Return a font, which needs no token because it shows nothing."""
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(FONTS[request.scope["path"]], media_type="font/woff2", headers=headers)


async def enter(request: Request, agents: Agents, token: str) -> Response:
    """Exchange the token in a link for a cookie, so that a browser can be sent to the pages."""
    token = request.query_params.get("token", token)
    await _view(agents, token)
    response = RedirectResponse("./", 303, headers=HEADERS)
    # Without a path of its own the cookie is valid below this one, which a prefix may stand before.
    response.set_cookie(
        COOKIE, token, path=None, httponly=True, samesite="strict", secure=request.url.scheme == "https"
    )
    return response


async def home(request: Request, agents: Agents, token: str) -> Response:
    """Show the task."""
    view = await _view(agents, token_of(request, token))
    pages = Pages(site_of(await agents.catalog()), view.tools.offered, _standing(view))
    return _html(pages.home(await _task(agents, token_of(request, token), view)))


async def page(request: Request, agents: Agents, token: str) -> Response:
    """Show a service, the form of a tool, or the result of its call."""
    if request.method == "GET" and _is_fetched_ahead(request):
        raise Refusal(
            403, "fetched_ahead", "To open a page takes a step, so it is not fetched before it is opened."
        )
    token = token_of(request, token)
    view, catalog = await _view(agents, token), await agents.catalog()
    name, site = request.scope["path"].removeprefix(PREFIX), site_of(catalog)
    pages = Pages(site, view.tools.offered, _standing(view))
    if name in site.services and request.method == "GET":
        return _html(pages.service(name))
    tool = view.tools.get(name)
    if tool is None:
        return _html(problem_page("Not found", "There is no such page."), 404)
    values = await _values(request)
    choice = take_choice(values)
    if choice and choice.tool == name:
        return _html(pages.tool(tool, _with_key(tool, choice.values(tool), view)))
    is_shown = is_page(tool) and site.is_asked(tool, values)
    if not is_shown and (request.method == "GET" or choice):
        return _html(pages.tool(tool, _with_key(tool, values, view), choice=choice))
    action = {"type": "call_tool", "tool_name": tool.name, "arguments": arguments_of(tool, values.items())}
    result = result_of(await agents.step(token, action))
    seen, error = result.observation, result.observation["error"]
    if error is None or not error["retryable"]:
        values = {**values, **_key(tool, seen["step"])}
    pages = Pages(
        site,
        view.tools.offered,
        Standing(seen["sim_now"], seen["steps_remaining"], seen["step"], result.is_over),
    )
    status = error_status(error, catalog.refusal_statuses) if error else 200
    back = request.query_params.get("back", "") if request.method == "POST" else ""
    if tool is WAIT and error is None and not result.is_over:
        return _html(pages.home(await _task(agents, token, view), seen["text"], back))
    return _html(_result_page(pages, tool, values, seen, back, choice), status)


def problem_as_page(request: Request, response: Response) -> Response:
    """Return the page of a problem document if a browser asked; every other response as it is."""
    if response.media_type != PROBLEM_JSON or HTML not in request.headers.get("accept", ""):
        return response
    document = orjson.loads(response.body)
    title = _REFUSED.get(document["type"], document["title"])
    detail = _DETAILS.get(document["type"], document["detail"])
    has_token = response.status_code != HTTPStatus.UNAUTHORIZED
    shown = _html(problem_page(title, detail, leads_back=has_token), response.status_code)
    shown.headers.update({name: response.headers[name] for name in _KEPT if name in response.headers})
    return shown


def token_of(request: Request, token: str) -> str:
    """Return the token of a request for a page, from its header or its cookie."""
    return token or request.cookies.get(COOKIE, "")


def _result_page(
    pages: Pages,
    tool: Tool,
    values: Mapping[str, str],
    seen: Mapping[str, Any],
    back: str,
    choice: Choice | None,
) -> str:
    """Return the page of a call that was made: whatever a service answered, it costs no second one to see it."""
    try:
        return pages.tool(tool, values, seen, back, choice)
    # The step is taken: a fault in a layout, a filter or a template must not hide its result.
    except Exception:
        log.exception("page_failed", tool=tool.name)
        return pages.plain(tool, seen)


async def _task(agents: Agents, token: str, view: AgentView) -> str:
    """Return the text of the task without what it explains of tools: forms carry it, and lists lead on."""
    task = str((await agents.task(token))["text"])
    for form in ToolsFormat:
        task = task.replace(view.tools.listed(form).introduction, "")
    return page_words(task.strip())


async def _view(agents: Agents, token: str) -> AgentView:
    view = await agents.view(token)
    if view.is_over:
        raise agent_token_expired()
    return view


async def _values(request: Request) -> dict[str, str]:
    """Return the texts in a form.

    Raises:
        Refusal: 400 parameter_repeated, which value counts is not clear; 400 form_not_utf8; 415 form_encoding, the
            body is no form.
    """
    body = await request.body() if request.method == "POST" else b""
    raw = body.decode("utf-8", "replace") if request.method == "POST" else request.url.query
    if request.method == "POST" and raw and _media_type(request) != FORM:
        raise Refusal(415, "form_encoding", f"Send the fields of a form as {FORM}.")
    if not is_text(body):
        raise Refusal(400, "form_not_utf8", "The form is not UTF-8. Send its fields as UTF-8 text.")
    if (name := repeated_name(raw)) is not None:
        raise Refusal(400, "parameter_repeated", f"Give the field {name!r} once.", field=name)
    return {name: text for name, text in parse_qsl(raw, keep_blank_values=True, errors="replace") if text}


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _is_fetched_ahead(request: Request) -> bool:
    """Whether a browser asks for a page that nobody has opened yet."""
    purposes = (request.headers.get(name, "") for name in ("Sec-Purpose", "Purpose", "X-Moz"))
    return any(purpose.lower().startswith(("prefetch", "preview")) for purpose in purposes)


def _with_key(tool: Tool, values: Mapping[str, str], view: AgentView) -> dict[str, str]:
    return {**_key(tool, view.step), **values}


def _key(tool: Tool, step: int) -> dict[str, str]:
    """Return the key of a form, so that sending it again changes nothing more."""
    return {"idempotency_key": f"web-{step}-{tool.operation}"} if "idempotency_key" in tool.places else {}


def _standing(view: AgentView) -> Standing:
    return Standing(to_iso(view.now), view.steps_remaining, view.step)


def _html(text: str, status: int = 200) -> Response:
    return HTMLResponse(text, status, headers=HEADERS)
