"""Heads of requests with two readings or none: refused on the trainer API and on the agent API alike."""

from __future__ import annotations

from typing import Any, cast

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from orchestrator.http.agent_api.app import AgentApi
from orchestrator.http.messages.guard import AccessGuard, TrainerAccess
from orchestrator.http.messages.request_heads import repeated_name, unreadable_head

Header = tuple[str, str]


async def _played(scope: Any, receive: Any, send: Any) -> None:
    await Request(scope, receive).body()
    await Response("played")(scope, receive, send)


APIS: dict[str, ASGIApp] = {
    "trainer": AccessGuard(_played, TrainerAccess(published_host="127.0.0.1")),
    "agent": AgentApi(lambda: cast(Any, None)),
}
ENCODED = [
    [("content-encoding", "gzip")],
    [("content-encoding", "identity, br")],
    [("transfer-encoding", "gzip, chunked")],
]
REPEATED = [
    [("host", "localhost"), ("host", "evil.example")],
    [("host", "evil.example"), ("host", "localhost")],
    [("host", "localhost"), ("origin", "http://localhost"), ("origin", "https://evil.example")],
    [("host", "localhost"), ("authorization", "Bearer a"), ("authorization", "Bearer b")],
    [("host", "localhost"), ("idempotency-key", "a"), ("idempotency-key", "b")],
    [("mcp-protocol-version", "2025-03-26"), ("mcp-protocol-version", "2025-06-18")],
]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        *((headers, 400, "header_repeated") for headers in REPEATED),
        *((headers, 415, "body_encoded") for headers in ENCODED),
    ],
)
async def test_a_head_with_two_readings_or_none_is_refused(
    api: str, headers: list[Header], status: int, code: str
) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(APIS[api]), base_url="http://localhost"
    ) as client:
        request = httpx.Request("POST", "http://localhost/finish", headers=headers, content=b"{}")
        answer = await client.send(request)

    assert (answer.status_code, answer.json()["type"]) == (status, code)
    assert headers[-1][0] in answer.json()["detail"]


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("host", "localhost"), ("origin", "http://localhost"), ("authorization", "Bearer a")],
        [("content-encoding", "identity"), ("transfer-encoding", "Chunked")],
        [("accept", "a/b"), ("accept", "c/d")],
    ],
)
def test_every_other_head_is_read(headers: list[Header]) -> None:
    raw = [(name.encode(), value.encode()) for name, value in headers]

    assert unreadable_head({"path": "/step", "query_string": b"", "headers": raw}) is None


@pytest.mark.parametrize("api", APIS)
async def test_http_1_1_without_a_host_is_refused(api: str) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(APIS[api]), base_url="http://localhost"
    ) as client:
        request = httpx.Request("POST", "http://localhost/finish", content=b"{}")
        del request.headers["host"]
        answer = await client.send(request)

    assert (answer.status_code, answer.json()["type"]) == (400, "host_missing")


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("", None),
        ("a=1", None),
        ("a=1&b=1&A=2", None),
        ("a=1&b=2&a=1", "a"),
        ("a_b=1&a%5Fb=2", "a_b"),
        ("a&a", "a"),
    ],
)
def test_a_name_with_two_values_is_found_in_any_spelling(query: str, name: str | None) -> None:
    assert repeated_name(query) == name


async def test_a_parameter_twice_in_a_query_of_a_trainer_is_refused() -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(APIS["trainer"]), base_url="http://localhost"
    ) as client:
        answer = await client.get("/state?episode_id=a&episode_id=b")

    assert (answer.status_code, answer.json()["type"]) == (400, "parameter_repeated")


def test_a_form_of_very_many_names_is_read_once() -> None:
    form = "&".join(f"{number}" for number in range(60_000))

    assert repeated_name(form) is None
    assert repeated_name(f"{form}&7") == "7"


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_chunks_are_of_http_1_1_alone(version: str) -> None:
    headers = [(b"host", b"localhost"), (b"transfer-encoding", b"chunked")]
    scope = {"http_version": version, "path": "/finish", "query_string": b"", "headers": headers}

    refused = unreadable_head(scope)

    assert (refused is not None and b"body_unframed" in refused.body) == (version == "1.0")


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    "target", ["/finish?q=%FF", "/finish?q=caf%E9", "/finish?%C3=1", "/finish?q=%ED%A0%80", "/a%FFb"]
)
async def test_a_url_that_is_not_utf8_is_refused_instead_of_read_with_other_letters(
    api: str, target: str
) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(APIS[api]), base_url="http://localhost"
    ) as client:
        answer = await client.get(target)

    assert (answer.status_code, answer.json()["type"]) == (400, "url_not_utf8")


@pytest.mark.parametrize("query", [b"q=caf%C3%A9", "q=café".encode(), b"q=%F0%9F%98%80&a=%25FF", b""])
def test_a_query_in_utf8_is_read(query: bytes) -> None:
    scope = {"path": "/", "raw_path": b"/", "query_string": query, "headers": [(b"host", b"localhost")]}

    assert unreadable_head(scope) is None
