"""The reference of the trainer API names whatever a trainer can call, send or be refused with."""

import re
from pathlib import Path

import pytest

from docs.access import Route, routes
from docs.trainer_api import ANSWERS, JSONRPC_CODES, METHODS, SOCKET_CODES, SOCKETS
from docs.trainer_errors import ERRORS, FLAWS, flaws, found
from orchestrator.http.messages.jsonrpc_envelope import JsonRpcErrorCode
from orchestrator.http.openenv.jsonrpc import Method
from orchestrator.http.openenv.websocket import Kind, WebSocketErrorCode
from orchestrator.protocol.problems import Outage

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "trainer-api.md").read_text(encoding="utf-8")
#: The OpenAPI document that this page is made of, and FastAPI's pages about it.
GENERATED = {"/docs", "/docs/oauth2-redirect", "/redoc", "/openapi.json"}
#: The form of the landing page and the pages to watch, which are for people and not for programs.
FOR_PEOPLE = {"/play", "/watch"}
TRAINERS = [
    route
    for route in routes()
    if route.listener == "orchestrator" and route.path not in GENERATED | FOR_PEOPLE
]


@pytest.mark.parametrize("route", TRAINERS, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_has_a_section(route: Route) -> None:
    path = re.sub(r":\w+}", "}", route.path)

    assert f"### `{route.method} {path}`" in PAGE


def test_every_message_of_a_socket_and_every_method_is_explained() -> None:
    assert set(ANSWERS) == set(Kind)
    assert set(SOCKET_CODES) == set(WebSocketErrorCode)
    assert set(METHODS) == set(Method)
    assert set(JSONRPC_CODES) == set(JsonRpcErrorCode)
    assert {route.path for route in TRAINERS if route.method == "WebSocket"} == set(SOCKETS)
    assert [word for word in (*ANSWERS, *SOCKET_CODES, *METHODS) if f"| `{word}` |" not in PAGE] == []


def test_every_code_that_the_orchestrator_can_answer_is_explained_and_no_other() -> None:
    assert set(found()) == set(ERRORS)
    assert flaws() == set(FLAWS)
    assert {outage.code for outage in (Outage, *Outage.__subclasses__())} <= set(ERRORS)
    assert [code for code in (*ERRORS, *FLAWS) if f"| `{code}` |" not in PAGE] == []


def test_every_link_within_the_page_leads_to_a_heading() -> None:
    headings = {heading.lower() for heading in re.findall(r"^#+ (\S.*)$", PAGE, re.MULTILINE)}
    targets = set(re.findall(r"\]\(#([^)]+)\)", PAGE))

    assert {target.replace("-", " ") for target in targets} - headings == set()
