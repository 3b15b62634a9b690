"""Every route of every listener, tried by every caller: it opens to those whom the table names, and to no one else.

The table is read from the applications, so a new route is tried without a word here, and a route that says nothing of
its callers has no row and stops the table from being made.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass

import pytest

from companyos.chassis.web.access import Credential
from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from companyos.embedded.server import ORCHESTRATOR
from docs import access
from tests.sizes import size

from .access_callers import (
    FINISHED,
    GRADER_TOKEN,
    OPERATOR_TOKEN,
    ROLLOUT_TOKEN,
    TRAINER_TOKEN,
    Caller,
    Headers,
    PlayingAgents,
    Trainer,
    bearer,
    callers,
)
from .raw_requests import SWITCHING, RawAnswer, RawClient, tricks

ROUTES = access.routes()
AGENT_API = "agent_api"
LISTENERS = sorted({route.listener for route in ROUTES})
#: What a listener says to callers that it does not let in.
REFUSALS = {
    "trainer_token_required",
    "operator_token_required",
    "admin_token_required",
    "context_refused",
    "agent_token_invalid",
    "agent_token_expired",
    "agent_token_refused",
}
JSON = {"Content-Type": "application/json"}
HEALTHY = b'{"status":"healthy"}'
#: A message that a conversation begins with; those of an ended one are answered inside the protocol.
BODIES = {
    "/mcp": b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    b'"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
}
#: An MCP client closes its conversation after its work has ended; nothing happens.
CLOSING = ("DELETE", "/mcp")
#: What it says where a path, or a method of it, is not there.
ABSENT = {400, 403, 404, 405}
OVERRIDES = ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override")
REWRITES = ("X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Path", "X-Forwarded-Prefix", "X-Script-Name")


@dataclass(frozen=True)
class Stack:
    """The stack, everyone who calls it, and an episode to be after."""

    clients: dict[str, RawClient]
    trainer: Trainer
    agents: PlayingAgents
    callers: list[Caller]
    episode_id: str

    def callers_of(self, route: access.Route) -> list[Caller]:
        """Return everyone; agents, whose calls change and end their episodes, begin anew now and then."""
        if route.listener != AGENT_API:
            return self.callers
        others = [caller for caller in self.callers if Credential.AGENT_TOKEN not in caller.has]
        return [*others, *self.agents.before_a_call_of(route.path)]

    def strangers_to(self, route: access.Route) -> list[Caller]:
        """Return those whom the route must not let in."""
        return [caller for caller in self.callers if not passes(caller, route)]

    def path(self, route: access.Route) -> str:
        """Return a path of the route, with the episode where it wants one."""
        known = {"episode_id": self.episode_id}
        return re.sub(r"\{(\w+)(:path)?\}", lambda found: known.get(found[1], "x"), route.path)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    home = Home.at(tmp_path_factory.mktemp("locked"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPANYOS_TRAINER_TOKEN", TRAINER_TOKEN)
        patch.setenv("COMPANYOS_OPERATOR_TOKEN", OPERATOR_TOKEN)
        patch.setenv("COMPANYOS_ROLLOUT_TOKEN", ROLLOUT_TOKEN)
        patch.setenv("COMPANYOS_GRADER_TOKEN", GRADER_TOKEN)
        with running_stack(home) as status, ExitStack() as opened:
            addresses = {**status.addresses, AGENT_API: status.agent_url}
            clients = {name: opened.enter_context(closing(RawClient(addresses[name]))) for name in LISTENERS}
            trainer = Trainer(status)
            everyone = [*callers(home), *trainer.former_agents()]
            episode_id, agent_token = trainer.reset()
            agent = Caller("its agent", bearer(agent_token), frozenset({Credential.AGENT_TOKEN}))
            yield Stack(clients, trainer, PlayingAgents(trainer), [*everyone, agent], episode_id)


def passes(caller: Caller, route: access.Route) -> bool:
    if (route.method, route.path) == CLOSING and caller.name == FINISHED:
        return True
    return all(caller.has & some for some in route.required)


def ask(client: RawClient, route: access.Route, target: str, headers: Headers) -> RawAnswer:
    if route.method == access.WEBSOCKET:
        return client.open_socket(target, headers)
    body = b"" if route.method in ("GET", "HEAD") else BODIES.get(route.path, b"{}")
    return client.ask(route.method, target, {"Content-Type": "application/json", **headers}, body)


def was_let_in(answer: RawAnswer, route: access.Route) -> bool:
    if route.method == "HEAD":
        return answer.status != 401
    return answer.code not in REFUSALS


def case(route: access.Route) -> str:
    return f"{route.listener} {route.method} {route.path}"


every_route = pytest.mark.parametrize("route", ROUTES, ids=case)
GUARDED = [route for route in ROUTES if route.required]
#: One of each listener, method and kind of caller, whose guard is the same; all of them in a proof.
SAMPLED = list({(route.listener, route.method, route.required): route for route in GUARDED}.values())
guarded_route = pytest.mark.parametrize("route", size(SAMPLED, GUARDED), ids=case)


def test_every_listener_of_a_running_stack_has_rows(stack: Stack) -> None:
    listening = stack.trainer.status.addresses.keys() - {"postgres", "redis"}

    assert {*listening, AGENT_API} == set(LISTENERS)


@pytest.mark.parametrize("listener", [name for name in LISTENERS if name != AGENT_API])
def test_every_operation_that_a_listener_documents_has_a_row(stack: Stack, listener: str) -> None:
    is_trainer_api = listener == ORCHESTRATOR
    reader = "the trainer" if is_trainer_api else "the orchestrator"
    [headers] = [caller.headers for caller in stack.callers if caller.name == reader]

    answer = stack.clients[listener].ask(
        "GET", "/openapi.json" if is_trainer_api else "/admin/openapi", headers
    )

    rows = {(route.method.lower(), route.path) for route in ROUTES if route.listener == listener}
    rows = {(method, path.replace(":path}", "}")) for method, path in rows}
    documented = json.loads(answer.body)["paths"]
    assert {(method, path) for path, methods in documented.items() for method in methods} <= rows


def test_every_tool_that_an_agent_is_offered_has_a_row(stack: Stack) -> None:
    [agent, _] = stack.trainer.agents()

    answer = stack.clients[AGENT_API].ask("GET", "/tools", agent.headers)

    rows = {(route.method, route.path) for route in ROUTES if route.listener == AGENT_API}
    offered = {(tool["method"], tool["path"]) for tool in json.loads(answer.body)["tools"]}
    assert len(offered) > 10
    assert offered <= rows


@every_route
def test_a_route_opens_to_those_in_the_table_and_to_nobody_else(stack: Stack, route: access.Route) -> None:
    client, path = stack.clients[route.listener], stack.path(route)

    callers = stack.callers_of(route)

    let_in = {
        caller.name for caller in callers if was_let_in(ask(client, route, path, caller.headers), route)
    }

    assert let_in == {caller.name for caller in callers if passes(caller, route)}


@pytest.mark.proof
@guarded_route
def test_alternate_spellings_of_a_path_open_no_route(stack: Stack, route: access.Route) -> None:
    client, path = stack.clients[route.listener], stack.path(route)
    strangers = stack.strangers_to(route)

    opened = [
        (caller.name, target, answer)
        for caller in (strangers[0], strangers[-1])
        for target in tricks(path)
        if not is_refused(answer := ask(client, route, target, caller.headers), target)
    ]

    assert opened == []


@pytest.mark.proof
@guarded_route
def test_a_token_in_the_query_opens_nothing(stack: Stack, route: access.Route) -> None:
    client, path = stack.clients[route.listener], stack.path(route)

    for name in ("token", "access_token", "trainer_token", "api_key", "authorization"):
        target = f"{path}?{name}={TRAINER_TOKEN}"
        assert not was_let_in(ask(client, route, target, {}), route)


@pytest.mark.proof
@guarded_route
def test_headers_change_neither_method_nor_path(stack: Stack, route: access.Route) -> None:
    client, path = stack.clients[route.listener], stack.path(route)
    healthy = client.ask("GET", "/health")

    overridden = [client.ask("GET", "/health", {name: route.method}) for name in OVERRIDES]
    rewritten = [client.ask("GET", "/health", {name: path}) for name in REWRITES]
    posted = [client.ask("POST", "/health", {name: "GET"}, b"{}") for name in OVERRIDES]

    assert {answer.body for answer in (*overridden, *rewritten)} == {healthy.body}
    assert {answer.status for answer in posted} <= {401, 405}


@pytest.mark.proof
@guarded_route
def test_websocket_upgrade_opens_no_route(stack: Stack, route: access.Route) -> None:
    client, path = stack.clients[route.listener], stack.path(route)
    strangers = stack.strangers_to(route)

    answers = {caller.name: client.open_socket(path, caller.headers) for caller in strangers}

    assert {name for name, answer in answers.items() if answer.status == SWITCHING} == set()
    assert {answer.status for answer in answers.values()} <= {401, 403, 404, 405, 426}


@pytest.mark.parametrize("listener", LISTENERS)
def test_listeners_serve_no_routes_of_other_listeners(stack: Stack, listener: str) -> None:
    own = {(route.method, route.path) for route in ROUTES if route.listener == listener}
    foreign = [route for route in ROUTES if (route.method, route.path) not in own]
    callers = [caller for caller in (*stack.callers, *stack.trainer.agents()) if caller.has]

    statuses = {
        (caller.name, route.method, route.path): ask(
            stack.clients[listener], route, stack.path(route), caller.headers
        ).status
        for route in foreign
        for caller in callers
    }

    assert {cell: status for cell, status in statuses.items() if status not in {401, 403, 404, 405}} == {}


@pytest.mark.parametrize("listener", LISTENERS)
def test_paths_without_a_row_are_not_there(stack: Stack, listener: str) -> None:
    client = stack.clients[listener]
    paths = (
        "/nowhere",
        "/admin",
        "/internal",
        "/debug",
        "/.git/config",
        "/static/x",
        "/docs/x",
        "/server-status",
    )

    answers = [client.ask("GET", path, caller.headers) for path in paths for caller in stack.callers]

    assert {answer.status for answer in answers} <= {401, 404}


@contextmanager
def without_tokens() -> Iterator[None]:
    """Hide the tokens of the locked stack, which may be running, from another."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("TRAINER", "OPERATOR", "ROLLOUT", "GRADER"):
            patch.delenv(f"COMPANYOS_{name}_TOKEN", raising=False)
        yield


@pytest.fixture(scope="module")
def open_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RawClient, str]]:
    """A trainer API without a token, and the token of an agent that plays on it."""
    with (
        without_tokens(),
        running_stack(Home.at(tmp_path_factory.mktemp("open"))) as status,
        closing(RawClient(status.url)) as client,
    ):
        about = json.loads(client.ask("POST", "/reset", JSON, b"{}").body)["metadata"]
        yield client, about["agent_token"]


@pytest.mark.parametrize("route", [route for route in GUARDED if route.listener == ORCHESTRATOR], ids=case)
def test_an_agent_token_opens_no_trainer_route_that_is_open_to_this_machine(
    open_api: tuple[RawClient, str], route: access.Route
) -> None:
    client, token = open_api
    path = re.sub(r"\{\w+(:path)?\}", "x", route.path)
    cookie = {"Cookie": f"theme=dark; token={token}"}
    basic = {"Authorization": f"Basic {b64encode(f'agent:{token}'.encode()).decode()}"}
    escaped = token.replace("a", "%61")

    answers = [
        *(ask(client, route, path, each) for each in (bearer(token), basic, cookie, {"X-Api-Key": token})),
        *(ask(client, route, f"{path}?token={each}", {}) for each in (token, escaped)),
    ]

    assert {(answer.status, answer.code) for answer in answers} <= {(403, "agent_token_refused"), (403, "")}
    if route.method != access.WEBSOCKET:
        assert was_let_in(ask(client, route, path, {}), route)


def is_refused(answer: RawAnswer, target: str) -> bool:
    """Whether a request came to nothing: refused, not there, or the open route that its path begins with."""
    # The answer to HEAD has no body.
    if target.startswith(("/health?", "/health#")) and answer.body in (HEALTHY, b""):
        return True
    return answer.code in REFUSALS or answer.status in (401, *ABSENT)
