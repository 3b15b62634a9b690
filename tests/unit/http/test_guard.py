"""The access guard of the trainer API: who may call, on every route, over HTTP and WebSocket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, cast

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from orchestrator.http.agent_api.app import AgentApi
from orchestrator.http.app import trainer_api
from orchestrator.http.messages.guard import (
    EXCEPTIONS,
    TrainerAccess,
    TrainerApiUnprotected,
    is_foreign,
    is_loopback,
)
from tests.live_services import serving

from .guarded_apis import guarded_api, no_episodes

TOKEN = "a-token-for-the-trainer"
OPERATOR_TOKEN = "a-token-for-operators"
WRONG = [
    {},
    {"authorization": "Bearer wrong"},
    {"authorization": f"Bearer {TOKEN}x"},
    {"authorization": f"Bearer {TOKEN[:-1]}"},
    {"authorization": f"Basic {TOKEN}"},
    {"authorization": TOKEN},
    {"authorization": "Bearer"},
    {"authorization": "Bearer \xe9"},
]


@pytest.fixture(scope="module")
async def locked() -> AsyncIterator[str]:
    api = trainer_api(no_episodes, TrainerAccess(published_host="0.0.0.0", token=TOKEN), max_sessions=4)
    async with serving(api) as url:
        yield url


@pytest.fixture(scope="module")
async def unlocked() -> AsyncIterator[str]:
    api = trainer_api(no_episodes, TrainerAccess(published_host="127.0.0.1"), max_sessions=2)
    async with serving(api) as url:
        yield url


def routes() -> list[tuple[str, str]]:
    api = trainer_api(no_episodes, TrainerAccess(published_host="127.0.0.1"), max_sessions=1)
    listed = [(method, path) for path, ways in api.openapi()["paths"].items() for method in ways]
    return [*listed, ("get", "/docs"), ("get", "/redoc"), ("get", "/openapi.json"), ("get", "/nowhere")]


@pytest.mark.parametrize(("method", "path"), [way for way in routes() if EXCEPTIONS.get(way[1]) != ()])
async def test_every_route_wants_the_token(locked: str, method: str, path: str) -> None:
    async with httpx.AsyncClient(base_url=locked) as http:
        answer = await http.request(method, path)

    assert (answer.status_code, answer.json()["type"]) == (401, "trainer_token_required")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("headers", WRONG)
async def test_a_wrong_token_is_refused(locked: str, headers: dict[str, str]) -> None:
    async with httpx.AsyncClient(base_url=locked) as http:
        answer = await http.get("/schema", headers=httpx.Headers(headers, encoding="latin-1"))

    assert answer.status_code == 401


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
async def test_the_right_token_opens(locked: str, scheme: str) -> None:
    async with httpx.AsyncClient(base_url=locked) as http:
        answer = await http.get("/schema", headers={"authorization": f"{scheme} {TOKEN}"})

    assert answer.status_code == 200


async def test_health_needs_no_token(locked: str) -> None:
    async with httpx.AsyncClient(base_url=locked) as http:
        assert (await http.get("/health")).status_code == 200


@pytest.mark.parametrize("path", ["/ws", "/mcp", "/nowhere"])
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
async def test_a_socket_wants_the_token_before_it_opens(
    locked: str, path: str, headers: dict[str, str]
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(locked.replace("http", "ws") + path, additional_headers=headers, proxy=None)

    assert refused.value.response.status_code == 401


async def test_a_socket_opens_with_the_token(locked: str) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with connect(
        f"{locked}/ws".replace("http", "ws"), additional_headers=headers, proxy=None
    ) as socket:
        await socket.send("{")

        assert '"INVALID_JSON"' in str(await socket.recv())


async def test_with_a_token_pages_of_other_machines_may_call(locked: str) -> None:
    headers = {"authorization": f"Bearer {TOKEN}", "origin": "https://studio.example"}
    async with httpx.AsyncClient(base_url=locked) as http:
        assert (await http.get("/schema", headers=headers)).status_code == 200


async def test_a_page_of_another_machine_opens_no_socket(unlocked: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"{unlocked}/ws".replace("http", "ws"), origin="https://evil.example", proxy=None)  # type: ignore[arg-type]

    assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("127.0.0.1", 200),
        ("[::1]:8000", 200),
        ("trainer-api:8000", 200),
        ("host.docker.internal:8000", 200),
        ("evil.example:8000", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost.evil.example", 403),
        ("[", 403),
    ],
)
async def test_a_page_whose_name_was_pointed_at_this_machine_reads_nothing(
    unlocked: str, host: str, status: int
) -> None:
    async with httpx.AsyncClient(base_url=unlocked) as http:
        answer = await http.get("/schema", headers={"host": host})

    assert answer.status_code == status


async def test_with_a_token_the_api_may_have_any_name(locked: str) -> None:
    headers = {"authorization": f"Bearer {TOKEN}", "host": "companyos.example"}
    async with httpx.AsyncClient(base_url=locked) as http:
        assert (await http.get("/schema", headers=headers)).status_code == 200


async def test_a_full_house_is_said_and_closed_normally(unlocked: str) -> None:
    url = f"{unlocked}/ws".replace("http", "ws")
    async with connect(url, proxy=None), connect(url, proxy=None), connect(url, proxy=None) as third:
        answer = await third.recv()
        await third.wait_closed()

    assert '"code":"CAPACITY_REACHED","type":"at_capacity"' in str(answer)
    assert '"active_sessions":2,"max_sessions":2' in str(answer)
    assert third.close_code == 1000


async def test_a_session_that_left_makes_room(unlocked: str) -> None:
    url = f"{unlocked}/ws".replace("http", "ws")
    for _ in range(5):
        async with connect(url, proxy=None), connect(url, proxy=None) as second:
            await second.send("{")

            assert '"INVALID_JSON"' in str(await second.recv())


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.1.7", "companyos.example", "", "127.0.0.1.evil.example"]
)
def test_an_api_without_a_token_is_not_opened_to_strangers(host: str) -> None:
    with pytest.raises(TrainerApiUnprotected, match="COMPANYOS_TRAINER_TOKEN"):
        trainer_api(no_episodes, TrainerAccess(published_host=host), max_sessions=1)


@pytest.mark.parametrize("token", ["", None])
def test_an_empty_token_is_no_token(token: str | None) -> None:
    with pytest.raises(TrainerApiUnprotected):
        trainer_api(no_episodes, TrainerAccess(published_host="0.0.0.0", token=token), max_sessions=1)


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]", "::ffff:127.0.0.1", "api.localhost"]
)
def test_this_machine_is_recognized(host: str) -> None:
    assert is_loopback(host)


@pytest.fixture(scope="module")
async def watched() -> AsyncIterator[str]:
    access = TrainerAccess(published_host="0.0.0.0", token=TOKEN, operator_token=OPERATOR_TOKEN)
    async with guarded_api(access) as url:
        yield url


@pytest.mark.parametrize(
    ("path", "token", "status"),
    [
        ("/metrics", OPERATOR_TOKEN, 200),
        ("/metrics", TOKEN, 200),
        ("/metrics", "wrong", 401),
        ("/metrics/", OPERATOR_TOKEN, 401),
        ("//metrics", OPERATOR_TOKEN, 401),
        ("/schema", OPERATOR_TOKEN, 401),
        ("/episodes", OPERATOR_TOKEN, 401),
    ],
)
async def test_operators_may_read_the_metrics_and_nothing_else(
    watched: str, path: str, token: str, status: int
) -> None:
    async with httpx.AsyncClient() as http:
        answer = await http.get(f"{watched}{path}", headers={"authorization": f"Bearer {token}"})

    assert answer.status_code == status


@pytest.mark.parametrize(("local_only", "status"), [(True, 403), (False, 200)])
async def test_without_a_token_a_connection_from_elsewhere_is_refused_whatever_the_settings_say(
    local_only: bool, status: int
) -> None:
    api = trainer_api(
        no_episodes, TrainerAccess(published_host="127.0.0.1", local_only=local_only), max_sessions=1
    )
    arrived_at = httpx.ASGITransport(api)

    async with httpx.AsyncClient(transport=arrived_at, base_url="http://192.168.1.7:8000") as http:
        answer = await http.get("/schema")

    assert answer.status_code == status
    if local_only:
        assert "'192.168.1.7' without a token" in answer.json()["detail"]


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:8000", "http://[::1]:8000", "http://[::ffff:127.0.0.1]:8000"]
)
async def test_without_a_token_connections_to_this_machine_pass(address: str) -> None:
    api = trainer_api(no_episodes, TrainerAccess(published_host="127.0.0.1", local_only=True), max_sessions=1)

    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url=address) as http:
        assert (await http.get("/schema")).status_code == 200


@pytest.mark.parametrize("options", [{"token": TOKEN}, {"token": None, "open_to_browsers": True}])
async def test_an_api_that_is_meant_to_be_reached_from_elsewhere_is(options: dict[str, Any]) -> None:
    access = TrainerAccess(published_host="0.0.0.0", local_only=True, **options)
    api = trainer_api(no_episodes, access, max_sessions=1)

    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(api), base_url="http://192.168.1.7:8000"
    ) as http:
        answer = await http.get("/schema", headers={"authorization": f"Bearer {TOKEN}"})

    assert answer.status_code == 200


PUBLISHED = frozenset({"agents.example.com"})


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "127.0.0.1:8080"},
        {"host": "[::1]:8080"},
        {"host": "192.168.1.7:8080", "origin": "http://192.168.1.7:8080"},
        {"host": "host.docker.internal:8080"},
        {"host": "orchestrator:8080"},
        {"host": "companyos.default.svc.cluster.local"},
        {"host": "localhost:8080", "origin": "http://localhost:6274"},
        {"host": "agents.example.com", "origin": "https://agents.example.com"},
        {"host": "orchestrator:8080", "origin": "https://agents.example.com"},
        {},
    ],
)
def test_an_agent_may_call_by_every_name_that_is_not_a_strangers(headers: dict[str, str]) -> None:
    assert not is_foreign(headers, PUBLISHED)


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8080", "origin": "http://evil.example:8080"},
        {"host": "127.0.0.1:8080", "origin": "https://evil.example"},
        {"host": "127.0.0.1:8080", "origin": "null"},
        {"host": "agents.example.com", "origin": "https://agents.example.com.evil.example"},
        {"host": "agents.example.com.evil.example"},
        {"host": "x@evil.example"},
    ],
)
def test_a_strangers_page_may_not_call_the_agent_api(headers: dict[str, str]) -> None:
    assert is_foreign(headers, PUBLISHED)
    assert not is_foreign(headers, {"*"})


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/task", {"host": "evil.example"}, 403),
        ("/mcp", {"origin": "https://evil.example"}, 403),
        ("/health", {"host": "evil.example"}, 200),
    ],
)
async def test_the_agent_api_refuses_strangers_pages(path: str, headers: dict[str, str], status: int) -> None:
    transport = httpx.ASGITransport(AgentApi(lambda: cast(Any, None)))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = await client.request("POST" if path == "/mcp" else "GET", path, headers=headers)
        alive = await client.head("/health")

    assert (answer.status_code, alive.status_code) == (status, 200)
