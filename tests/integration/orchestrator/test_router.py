"""HAProxy in front of two cells, configured by `companyos router`: what has a name reaches the cell that holds it."""

import asyncio
import os
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from companyos.cells.haproxy import configuration
from companyos.cells.names import cell_of
from companyos.client import AsyncCompanyosEnv
from orchestrator.http.app import trainer_api
from orchestrator.http.messages.guard import TrainerAccess
from tests.live_services import serving
from tests.patience import PATIENCE_S
from tests.routers import routed, until_routed

from .toy_scenario import ToyScenario
from .toy_stack import ToyStack

NAMES = ("cell-a", "cell-b")
RESET = {"scenario": ToyScenario.name}
FINISH = {"tool_name": "finish", "arguments": {}}
ORDER = {"tool_name": "shop_place_order", "arguments": {"item": "lamp"}}
STEPS, MANY_STEPS = 20, 100

pytestmark = pytest.mark.skipif(
    shutil.which("haproxy") is None and os.environ.get("COMPANYOS_HAPROXY") != "required",
    reason="needs HAProxy, which CI installs",
)


@dataclass
class Recorded:
    """An application, and the paths of the requests that it was given."""

    app: Any
    paths: list[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            self.paths.append(scope["path"])
        await self.app(scope, receive, send)


@dataclass
class Fleet:
    """Two cells behind routers.

    Attributes:
        url: The router of the trainer APIs.
        agent_url: The router of the agent APIs.
        apis: The trainer API of each cell.
        agents: The agent API of each cell.
    """

    url: str
    agent_url: str
    apis: dict[str, Recorded]
    agents: dict[str, Recorded]

    def reached(self, path: str) -> set[str]:
        """Return which cells got a request for a path, of trainers or agents."""
        both = [*self.apis.items(), *self.agents.items()]
        return {name for name, recorded in both if path in recorded.paths}


def api_of(toy_stack: ToyStack, name: str) -> FastAPI:
    opened = partial(toy_stack.orchestrator, cell=name)
    access = TrainerAccess(published_host="127.0.0.1", agent_hosts=frozenset({"127.0.0.1"}))
    return trainer_api(opened, access, max_sessions=8)


@pytest.fixture
async def fleet(toy_stack: ToyStack, tmp_path: Path, unused_tcp_port_factory: Any) -> AsyncIterator[Fleet]:
    async with AsyncExitStack() as stack:
        apis, agents, urls, agent_urls = {}, {}, {}, {}
        for name in NAMES:
            api = api_of(toy_stack, name)
            apis[name], agents[name] = Recorded(api), Recorded(api.state.agent_api)
            urls[name] = await stack.enter_async_context(serving(apis[name]))
            agent_urls[name] = await stack.enter_async_context(serving(agents[name], lifespan="off"))
            await api.state.episodes.await_start()
        port, agent_port = unused_tcp_port_factory(), unused_tcp_port_factory()
        trainers = configuration(urls, port=port)
        players = configuration(urls, port=agent_port, agents=agent_urls)
        router = await stack.enter_async_context(routed(tmp_path / "trainers.cfg", trainers, port))
        agent_router = await stack.enter_async_context(routed(tmp_path / "agents.cfg", players, agent_port))
        await until_routed(router.url, agent_router.url)
        yield Fleet(router.url, agent_router.url, apis, agents)


async def test_every_way_to_name_an_episode_leads_to_its_cell(fleet: Fleet) -> None:
    own = [f"routed-{number}" for number in range(12)]
    async with httpx.AsyncClient(base_url=fleet.url, timeout=PATIENCE_S) as http:
        for name in own:
            assert (await http.post("/reset", json={**RESET, "episode_id": name})).status_code == 200
        begun = [(await http.post("/reset", json=RESET)).json()["metadata"] for _ in range(12)]
        made = [metadata["episode_id"] for metadata in begun]
        created = await http.post("/mcp", json=rpc("openenv/session/create", {}))
        session = created.json()["result"]["session_id"]
        reached = {
            name: [
                await reached_by(fleet, http.get(f"/episodes/{name}")),
                await reached_by(fleet, http.get("/state", params={"episode_id": name})),
                await reached_by(fleet, http.post("/step", json={"action": FINISH, "episode_id": name})),
                await reached_by(
                    fleet, http.post("/batch/step", json=[{"action": FINISH, "episode_id": name}])
                ),
            ]
            for name in [*own, *made]
        }
        held = http.post("/mcp", json=rpc("openenv/session/reset", {"session_id": session, **RESET}))
        reached[session] = [await reached_by(fleet, held)]

    assert reached == {name: [{cell_of(name, NAMES)}] * len(cells) for name, cells in reached.items()}
    assert {cell_of(name, NAMES) for name in own} == {cell_of(name, NAMES) for name in made} == set(NAMES)
    assert session.partition(".")[0] in NAMES


async def reached_by(fleet: Fleet, request: Awaitable[httpx.Response]) -> set[str]:
    """Send a request that must succeed, and return which cells got it."""
    for recorded in fleet.apis.values():
        recorded.paths.clear()
    answer = await request
    assert answer.status_code == 200, answer.text
    return fleet.reached(answer.request.url.path)


def rpc(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


async def test_a_client_of_one_address_plays_forks_restores_and_its_agents_connect(fleet: Fleet) -> None:
    env, socket = AsyncCompanyosEnv(fleet.url), AsyncCompanyosEnv(fleet.url, via="websocket")
    first = await env.reset(**RESET)
    snapshot = await env.snapshot()
    (branch,) = await env.fork(1)
    branched = branch.episode_id
    await env.restore(snapshot)
    begun = await socket.reset(**RESET)
    taken = await socket.snapshot()
    finished = await socket.step(FINISH)
    token = first.metadata["agent_token"]
    agent = httpx.AsyncClient(
        base_url=fleet.agent_url, headers={"Authorization": f"Bearer {token}"}, timeout=30
    )
    async with agent:
        task = await agent.get("/task")
    async with httpx.AsyncClient(
        base_url=fleet.agent_url, follow_redirects=True, timeout=PATIENCE_S
    ) as browser:
        page = await browser.get("/web/enter", params={"token": token})
    for client in (branch, env, socket):
        await client.close()

    home = cell_of(first.metadata.episode_id, NAMES)
    assert {cell_of(name, NAMES) for name in (snapshot, str(branched))} == {home}
    assert cell_of(taken, NAMES) == cell_of(begun.metadata.episode_id, NAMES)
    assert finished.done
    assert (task.status_code, page.status_code) == (200, 200)
    assert fleet.reached("/task") == fleet.reached("/web/") == fleet.reached("/web/enter") == {home}


async def test_a_router_sends_resets_past_a_draining_cell_and_says_that_one_is_gone(
    fleet: Fleet, tmp_path: Path, unused_tcp_port_factory: Any
) -> None:
    port, nowhere = unused_tcp_port_factory(), unused_tcp_port_factory()
    cells = {"cell-a": fleet.url, "cell-z": f"http://127.0.0.1:{nowhere}"}
    path = tmp_path / "gone.cfg"
    async with (
        routed(path, configuration(cells, port=port), port) as router,
        httpx.AsyncClient(timeout=PATIENCE_S) as http,
    ):
        await until_routed(fleet.url)
        fleet.apis["cell-a"].app.state.episodes.capacity.drains_s = 60.0
        begun = [await http.post(f"{fleet.url}/reset", json=RESET) for _ in range(6)]

        async with asyncio.timeout(PATIENCE_S):
            while (gone := await http.get(f"{router.url}/episodes/cell-z.ep-1")).status_code == 503:
                await asyncio.sleep(0.2)

    assert {answer.status_code for answer in begun} == {200}
    assert (gone.status_code, gone.json()["type"], gone.json()["retryable"]) == (410, "cell_gone", False)


async def test_a_router_that_is_killed_and_started_again_loses_and_doubles_no_step(
    fleet: Fleet, tmp_path: Path, unused_tcp_port_factory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companyos.client.conversation.PAUSES_S", (0.1,) * 300)
    port, path = unused_tcp_port_factory(), tmp_path / "restarted.cfg"
    text = configuration({"cell-a": fleet.url}, port=port)
    async with AsyncExitStack() as clients:
        async with routed(path, text, port) as router:
            envs = [await clients.enter_async_context(AsyncCompanyosEnv(router.url)) for _ in range(8)]
            await asyncio.gather(*(env.reset(**RESET, max_steps=MANY_STEPS) for env in envs))
            midway = asyncio.Event()
            playing = [asyncio.create_task(play_on(env, midway)) for env in envs]
            await midway.wait()
        async with routed(path, text, port):
            played = await asyncio.gather(*playing)
            states = [await env.state() for env in envs]

    assert played == [list(range(1, STEPS + 1))] * len(envs)
    assert [state["step_count"] for state in states] == [STEPS] * len(envs)


async def play_on(env: AsyncCompanyosEnv, midway: asyncio.Event) -> list[int]:
    """Order lamps, and return the number of the step that each order was."""
    numbers = []
    for _ in range(STEPS):
        numbers.append((await env.step(ORDER)).observation["step"])
        if numbers[-1] == STEPS // 4:
            midway.set()
    return numbers


async def test_a_router_with_a_certificate_takes_tls_only(
    fleet: Fleet, tmp_path: Path, unused_tcp_port_factory: Any
) -> None:
    port, certificate = unused_tcp_port_factory(), self_signed(tmp_path)
    text = configuration({"cell-a": fleet.url}, port=port, certificate=str(certificate))
    trusting = httpx.AsyncHTTPTransport(verify=ssl.create_default_context(cafile=certificate), retries=8)
    async with routed(tmp_path / "tls.cfg", text, port), httpx.AsyncClient(transport=trusting) as http:
        begun = await http.post(f"https://localhost:{port}/reset", json=RESET, timeout=PATIENCE_S)
        with pytest.raises(httpx.HTTPError):
            await http.get(f"http://localhost:{port}/health")

    assert begun.status_code == 200


def self_signed(folder: Path) -> Path:
    """Write a certificate for localhost, with its key beside it, and return its path."""
    certificate = folder / "tls.pem"
    made = "openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 2 -subj /CN=localhost"
    named = ["-addext", "subjectAltName=DNS:localhost", "-keyout", f"{certificate}.key", "-out", certificate]
    subprocess.run([*made.split(), *named], check=True, capture_output=True)
    return certificate


@pytest.mark.parametrize("agents", [None, {"cell-a": "http://cell-a.cells.internal:8080"}])
def test_haproxy_begins_without_cells_that_the_dns_does_not_know(
    tmp_path: Path, agents: dict[str, str] | None
) -> None:
    path = tmp_path / "resolving.cfg"
    cells = {"cell-a": "http://cell-a.cells.internal:8000"}
    path.write_text(configuration(cells, port=8000, agents=agents, resolves=True))

    checked = subprocess.run(["haproxy", "-c", "-f", path], capture_output=True, text=True)
    path.write_text(configuration(cells, port=8000, agents=agents))
    refused = subprocess.run(["haproxy", "-c", "-f", path], capture_output=True, text=True)

    assert checked.returncode == 0, checked.stderr
    assert "could not resolve address" in refused.stderr
