"""A request whose connection ends before its body does is no request: nothing is played, and nothing changes."""

from __future__ import annotations

import json
import socket
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.patience import PATIENCE_S

from .agent_calls import AgentSide, agent_in

ANNOUNCED = 40
WAIT = b'{"seconds": 60}'


def cut(url: str, path: str, body: bytes, *framing: str, token: str = "", method: str = "POST") -> bytes:
    """Send a request and close the sending side; return all that comes back before the server closes its own."""
    parts = urlsplit(url)
    headers = ["Host: localhost", "Content-Type: application/json", *framing]
    headers += [f"Authorization: Bearer {token}"] if token else []
    head = "\r\n".join([f"{method} {parts.path}{path} HTTP/1.1", *headers, "", ""])
    with socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE_S) as connection:
        connection.sendall(head.encode() + body)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(4096), b""))


def announcing(body: bytes, missing: int) -> str:
    return f"Content-Length: {len(body) + missing}"


def rpc(name: str, **arguments: Any) -> bytes:
    params = {"name": name, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/finish", b""),
        ("/refuse", b'{"reason": "x"}'),
        ("/wait", WAIT),
        ("/wait", WAIT[:7]),
        ("/mcp", rpc("finish")),
        ("/ticketdesk/tickets/TD-1/comments", b'{"text": "hello"}'),
        ("/ticketdesk/tickets/TD-1/comments", b'{"text": "he'),
    ],
)
def test_a_cut_request_of_an_agent_is_no_step(url: str, path: str, body: bytes) -> None:
    with agent_in(url, max_steps=20) as agent:
        framings = announcing(body, ANNOUNCED), "Transfer-Encoding: chunked"
        chunk = b"%x\r\n%s\r\n" % (len(body), body) if body else b""

        replies = [cut(agent.urls["rest"], path, body, framings[0], token=agent.token)]
        replies += [cut(agent.urls["rest"], path, chunk, framings[1], token=agent.token)]

        assert replies == [b"", b""]
        assert next_step(agent) == 1


def next_step(agent: AgentSide) -> int:
    waited = agent.http.post("/wait", json={"seconds": 60}).raise_for_status()
    return int(waited.headers["companyos-step"])


def test_a_body_longer_than_announced_is_refused_and_no_step(url: str) -> None:
    with agent_in(url, max_steps=20) as agent:
        reply = cut(agent.urls["rest"], "/wait", WAIT + b"}\r\n\r\n", announcing(WAIT, 0), token=agent.token)

        assert (reply[:12], b'"http_invalid"' in reply) == (b"HTTP/1.1 400", True)
        assert next_step(agent) == 1


def test_a_whole_request_is_answered_though_its_sender_closed_its_side(url: str) -> None:
    with agent_in(url, max_steps=20) as agent:
        reply = cut(agent.urls["rest"], "/wait", WAIT, announcing(WAIT, 0), token=agent.token)

        assert reply.startswith(b"HTTP/1.1 200")
        assert next_step(agent) == 2


@pytest.mark.parametrize("path", ["/step", "/batch/step", "/mcp"])
def test_a_cut_request_of_a_trainer_is_no_step(url: str, path: str) -> None:
    with agent_in(url, max_steps=20) as agent:
        step = {"episode_id": agent.episode_id, "action": {"tool_name": "finish"}}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        mcp = {**call, "params": {"name": "finish", "episode_id": agent.episode_id}}
        body = json.dumps({"/step": step, "/batch/step": [step], "/mcp": mcp}[path]).encode()

        answer = cut(url, path, body, announcing(body, ANNOUNCED))

        assert answer == b""
        assert next_step(agent) == 1


@pytest.mark.parametrize("path", ["/reset", "/batch/reset"])
def test_a_cut_reset_starts_no_episode(url: str, path: str) -> None:
    body = b'{"episode_id": "cut-reset"}' if path == "/reset" else b'[{"episode_id": "cut-reset"}]'

    answers = [cut(url, path, body, announcing(body, ANNOUNCED)), cut(url, path, b"", announcing(b"", 60))]

    assert answers == [b"", b""]
    assert httpx.get(f"{url}/state", params={"episode_id": "cut-reset"}).status_code == 404


def test_a_cut_request_changes_no_episode(url: str) -> None:
    with agent_in(url) as agent:
        episode = f"/episodes/{agent.episode_id}"
        snapshots = httpx.get(f"{url}/snapshots").json()

        cut(url, f"{episode}/chaos", b"5", announcing(b"5", 1), method="PUT")
        cut(url, f"{episode}/snapshots", b"", announcing(b"", ANNOUNCED))
        cut(url, f"{episode}/fork", b'{"count": 2}', announcing(b'{"count": 2}', ANNOUNCED))

        assert httpx.get(f"{url}{episode}").json()["chaos"] == 1
        assert httpx.get(f"{url}/snapshots").json() == snapshots
