"""Servers that are not ours, or stand in front of ours: what the client says of their answers."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.sync.server import ServerConnection, serve

from companyos.client import (
    CompanyosEnv,
    InvalidRequest,
    Refused,
    ServerUnreachable,
    Unavailable,
    UnexpectedAnswer,
    Via,
)
from companyos.client import conversation as protocol

PAGE = b"<html><head><title>x</title></head><body><h1>Bad gateway</h1> nginx</body></html>"


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "PAUSES_S", (0.0,))
    monkeypatch.setattr(protocol, "MOST_PAUSE_S", 0.0)


@contextmanager
def answering(head: str, body: bytes, *, length: int | None = None) -> Iterator[str]:
    """Yield the URL of a server that gives every request one answer and closes."""
    said = f"HTTP/1.1 {head}\r\nContent-Length: {len(body) if length is None else length}\r\nConnection: close\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    connection.sendall(said.encode() + body)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def said_of(kind: type[Exception], head: str, body: bytes = b"", via: Via = Via.HTTP, **options: Any) -> str:
    """Return the message, without the address in it, of what a reset raises."""
    with answering(head, body, **options) as url:
        client = CompanyosEnv(url, via=via)
        with pytest.raises(kind) as raised:
            client.reset()
        client._opened().close()
    assert url in str(raised.value)
    return str(raised.value).replace(url, "URL")


def test_a_redirect_names_where_it_leads() -> None:
    said = said_of(UnexpectedAnswer, "307 Temporary Redirect\r\nLocation: https://sso.example/login")

    assert "URL answered 307 Temporary Redirect, a redirect to https://sso.example/login" in said
    assert "base_url" in said


@pytest.mark.parametrize("status", ["502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"])
def test_a_proxys_page_is_shown_without_markup_and_can_be_retried(status: str) -> None:
    said = said_of(Unavailable, f"{status}\r\nContent-Type: text/html\r\nRetry-After: 7", PAGE)

    assert f"URL answered {status} with text/html" in said
    assert "'Bad gateway nginx'" in said
    assert "wait 7 s" in said


@pytest.mark.parametrize(
    ("head", "body", "what"),
    [
        ("200 OK\r\nContent-Type: text/html", PAGE, "with text/html"),
        ("200 OK\r\nContent-Type: application/json", b'{"observation": {"te', "with broken JSON"),
        ("200 OK\r\nContent-Type: application/json", b'{"hello": 1}', "with application/json"),
        ("200 OK\r\nContent-Type: application/json", b"[]", "with application/json"),
        ("200 OK\r\nContent-Type: application/json", b"null", "with application/json"),
        ("200 OK", b"", "an empty body"),
    ],
)
def test_an_answer_of_another_server_is_shown_with_its_status(head: str, body: bytes, what: str) -> None:
    said = said_of(UnexpectedAnswer, head, body)

    assert "URL answered 200 OK" in said
    assert what in said


OPENED = {"observation": {"step": 0}, "metadata": {"episode_id": "e"}, "reward": 0.0, "done": False}


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (lambda env: env.reset(), {**OPENED, "metadata": {}}),
        (lambda env: env.reset(), {**OPENED, "observation": {}}),
        (lambda env: env.reset(), {**OPENED, "observation": {"step": None}}),
        (lambda env: env.attach("e"), {"done": False}),
        (lambda env: env.attach("e"), {"done": False, "step_count": "many"}),
        (lambda env: env.tasks("train", 0, 1), {"hello": 1}),
        (lambda env: env.tasks("train", 0, 1), {"tasks": [1]}),
        (lambda env: env.import_snapshot(os.devnull), {"hello": 1}),
    ],
)
def test_an_answer_without_what_ours_have_is_of_another_server(
    asked: Callable[[CompanyosEnv], Any], answer: dict[str, Any]
) -> None:
    with answering("200 OK\r\nContent-Type: application/json", json.dumps(answer).encode()) as url:
        client = CompanyosEnv(url)
        with pytest.raises(UnexpectedAnswer, match="no answer of CompanyOS"):
            asked(client)
        client._opened().close()


@pytest.mark.parametrize("place", [5, None, "seed", ["body", "seed"]])
def test_a_flaw_is_told_wherever_it_is_said_to_be(place: Any) -> None:
    body = json.dumps({"detail": [{"loc": place, "msg": "is too large"}]}).encode()

    with answering("422 Unprocessable Content\r\nContent-Type: application/json", body) as url:
        client = CompanyosEnv(url)
        with pytest.raises(InvalidRequest, match="is too large"):
            client.reset()
        client._opened().close()


@pytest.mark.parametrize(
    ("sent", "kind", "told"),
    [
        ('{"type": "error", "data": {"code": "X", "message": "no", "status": null}}', UnexpectedAnswer, "{"),
        ('{"type": "error", "data": {"code": "X", "message": "no", "status": "409"}}', Refused, "no"),
        ('{"type": "error", "data": {"code": "X", "message": "no", "status": 1e999}}', UnexpectedAnswer, "{"),
        ("[" * 100_000, UnexpectedAnswer, "[["),
        ("hello", UnexpectedAnswer, "hello"),
    ],
    ids=["null", "text", "infinite", "deep", "none"],
)
def test_a_message_that_is_none_of_ours_is_shown(sent: str, kind: type[Exception], told: str) -> None:
    def greet(socket: ServerConnection) -> None:
        socket.recv()
        socket.send(sent)

    with serve(greet, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        client = CompanyosEnv(f"http://127.0.0.1:{server.socket.getsockname()[1]}", via=Via.WEBSOCKET)
        try:
            with pytest.raises(kind) as raised:
                client.reset()
        finally:
            client._opened().close()
            server.shutdown()
            thread.join()

    assert told in str(raised.value)


def test_a_truncated_answer_is_none() -> None:
    said = said_of(ServerUnreachable, "200 OK\r\nContent-Type: application/json", b"{}", length=40)

    assert "No response from URL" in said


@pytest.mark.parametrize(("head", "kind"), [("502 Bad Gateway", Unavailable), ("404 Not Found", Refused)])
def test_a_proxy_that_knows_no_sockets_is_told_like_one_over_http(head: str, kind: type[Exception]) -> None:
    said = said_of(kind, f"{head}\r\nContent-Type: text/html", PAGE, via=Via.WEBSOCKET)

    assert f"URL answered {head} with text/html" in said
