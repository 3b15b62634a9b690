"""A process that is asked to stop answers what is under way and sends its callers to another one."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from companyos.embedded import drain
from companyos.embedded.drain import Drain, SecondApp, Server
from companyos.embedded.listeners.connections import Listener
from companyos.embedded.listeners.time_limits import TimeLimits
from companyos.embedded.ports import listen
from tests.patience import PATIENCE_S

PROGRAM = """
import socket, sys
from companyos.embedded import server
server.default_port = lambda name: 0
server.factory_of = lambda name: "tests.unit.embedded.test_drain:create_app"
server.serve("echo", socket.socket(fileno=int(sys.argv[1])))
"""


def unlimited() -> Listener:
    return Listener("echo", 1000, 1000, TimeLimits(60.0, 60.0, 60.0))


class Echo:
    """An application that answers when it is let go, over HTTP and on a socket."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.busy = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            for stage in ("startup", "shutdown"):
                assert (await receive())["type"] == f"lifespan.{stage}"
                await send({"type": f"lifespan.{stage}.complete"})
        elif scope["type"] == "http":
            if scope["path"] == "/slow":
                self.busy.set()
                await self.go_on.wait()
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
            await send({"type": "http.response.body", "body": b"ok"})
        else:
            await self._converse(receive, send)

    async def _converse(self, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            self.busy.set()
            if message["text"] == "slow":
                message = await self._slowly(message)
            await send({"type": "websocket.send", "text": message["text"]})

    async def _slowly(self, message: Any) -> Any:
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            return {"text": "interrupted"}
        return message


def create_app() -> Echo:
    return Echo()


@asynccontextmanager
async def echoing(**options: Any) -> AsyncIterator[tuple[Echo, Server, str]]:
    """Serve an `Echo` and hand it out with its server and its address; it has stopped by the end."""
    echo, listener = Echo(), listen("127.0.0.1", 0, exactly=True)
    server = Server(Drain(lambda: echo), unlimited(), log_level="warning", lifespan="on", **options)
    serving = asyncio.create_task(server._serve([listener]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    try:
        yield echo, server, f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        echo.go_on.set()
        server.handle_exit(signal.SIGTERM, None)
        async with asyncio.timeout(PATIENCE_S):
            await serving


async def takes_nobody(address: str) -> None:
    """Wait until nothing is accepted at an address."""
    host, _, port = address.partition(":")
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                _, writer = await asyncio.open_connection(host, int(port))
            except ConnectionRefusedError:
                return
            except ConnectionResetError:
                continue  # Closed between our knock and the answer.
            writer.close()
            await asyncio.sleep(0.01)


async def test_a_request_under_way_is_answered_and_its_connection_closed() -> None:
    async with echoing() as (echo, server, address), httpx.AsyncClient() as client:
        asked = asyncio.create_task(client.get(f"http://{address}/slow"))
        await echo.busy.wait()

        server.handle_exit(signal.SIGTERM, None)
        await takes_nobody(address)
        echo.go_on.set()
        answer = await asked

    assert answer.text == "ok"
    assert answer.headers["connection"] == "close"


async def test_a_kept_connection_has_its_next_request_answered_and_is_closed_with_it() -> None:
    async with echoing() as (_, server, address), httpx.AsyncClient() as client:
        before = await client.get(f"http://{address}/")

        server.handle_exit(signal.SIGTERM, None)
        await takes_nobody(address)
        after = await client.get(f"http://{address}/")

    assert "connection" not in before.headers
    assert (after.text, after.headers["connection"]) == ("ok", "close")


async def test_an_idle_socket_is_closed_with_1012() -> None:
    async with echoing() as (_, server, address), connect(f"ws://{address}", proxy=None) as socket:
        await socket.send("hello")
        assert await socket.recv() == "hello"

        server.handle_exit(signal.SIGTERM, None)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012


async def test_a_socket_has_its_message_answered_before_it_is_closed_with_1012() -> None:
    async with echoing() as (echo, server, address), connect(f"ws://{address}", proxy=None) as socket:
        await socket.send("slow")
        await echo.busy.wait()

        server.handle_exit(signal.SIGTERM, None)
        await takes_nobody(address)
        echo.go_on.set()

        assert await socket.recv() == "slow"
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012


async def test_a_request_that_does_not_end_in_time_is_refused_with_a_hint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drain, "LINGER_S", 0.1)
    async with (
        echoing(timeout_graceful_shutdown=1) as (echo, server, address),
        httpx.AsyncClient() as client,
    ):
        asked = asyncio.create_task(client.get(f"http://{address}/slow", timeout=PATIENCE_S))
        await echo.busy.wait()

        server.handle_exit(signal.SIGTERM, None)
        answer = await asked

    assert (answer.status_code, answer.json()["type"]) == (503, "server_stopping")
    assert (answer.headers["retry-after"], answer.headers["connection"]) == ("1", "close")
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_socket_whose_message_is_not_answered_in_time_may_say_so_before_it_is_closed_with_1012(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drain, "LINGER_S", 0.1)
    async with echoing() as (echo, server, address), connect(f"ws://{address}", proxy=None) as socket:
        await socket.send("slow")
        await echo.busy.wait()

        server.handle_exit(signal.SIGTERM, None)

        assert await socket.recv() == "interrupted"
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012


async def test_a_connection_nobody_uses_does_not_keep_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drain, "LINGER_S", 0.1)
    async with echoing() as (_, _, address):
        idle, writer = await asyncio.open_connection(*address.split(":"))

    assert await idle.read() == b""
    writer.close()


async def test_a_second_application_is_served_on_its_own_listener_only() -> None:
    first, second, listeners = (
        Named("first"),
        Named("second"),
        [listen("127.0.0.1", 0, exactly=True) for _ in "12"],
    )
    urls = [f"http://127.0.0.1:{listener.getsockname()[1]}" for listener in listeners]
    drains = Drain(lambda: first), Drain(lambda: second)
    server = Server(
        drains[0],
        unlimited(),
        second=SecondApp(drains[1], listeners[1], unlimited()),
        log_level="warning",
        lifespan="on",
    )
    serving = asyncio.create_task(server._serve([listeners[0]]))
    async with httpx.AsyncClient() as client:
        while not server.started:
            await asyncio.sleep(0.01)
        names = [(await client.get(url)).text for url in urls]
        server.handle_exit(signal.SIGTERM, None)
        for url in urls:
            await takes_nobody(url.removeprefix("http://"))
        after = [await client.get(url) for url in urls]
    async with asyncio.timeout(PATIENCE_S):
        await serving

    assert names == ["first", "second"]
    assert [answer.headers["connection"] for answer in after] == ["close", "close"]
    assert (first.lifespans, second.lifespans) == (1, 0)


class Named:
    """An application that answers with its name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lifespans = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            self.lifespans += 1
            for stage in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{stage}.complete"})
            return
        headers = [(b"content-length", str(len(self.name)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": self.name.encode()})


async def test_a_websocket_to_the_second_listener_is_answered_as_a_request() -> None:
    listeners = [listen("127.0.0.1", 0, exactly=True) for _ in "12"]
    drains = [Drain(lambda name=name: Named(name)) for name in ("first", "second")]  # type: ignore[misc]
    server = Server(
        drains[0],
        unlimited(),
        second=SecondApp(drains[1], listeners[1], unlimited()),
        log_level="error",
        lifespan="on",
    )
    serving = asyncio.create_task(server._serve([listeners[0]]))
    while not server.started:
        await asyncio.sleep(0.01)
    with pytest.raises(InvalidStatus):
        await connect(f"ws://127.0.0.1:{listeners[1].getsockname()[1]}", proxy=None)
    server.handle_exit(signal.SIGTERM, None)
    async with asyncio.timeout(PATIENCE_S):
        await serving


async def test_a_signal_is_followed_at_once_however_rarely_the_server_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drain, "TICK_S", 3600.0)
    listener = listen("127.0.0.1", 0, exactly=True)
    server = Server(Drain(lambda: Named("first")), unlimited(), log_level="warning", lifespan="on")
    serving = asyncio.create_task(server._serve([listener]))
    while not server.started:
        await asyncio.sleep(0.01)

    server.handle_exit(signal.SIGTERM, None)

    ended, _ = await asyncio.wait({serving}, timeout=PATIENCE_S)
    assert ended == {serving}


def test_a_process_ends_with_code_0_when_it_is_asked_to() -> None:
    listener = listen("127.0.0.1", 0, exactly=True)
    command = [sys.executable, "-c", PROGRAM, str(listener.fileno())]
    with subprocess.Popen(command, pass_fds=[listener.fileno()]) as process:
        try:
            # On a crowded machine the process takes long to import what it needs.
            with socket.create_connection(listener.getsockname(), timeout=120) as caller:
                caller.sendall(b"GET / HTTP/1.0\r\n\r\n")
                assert caller.recv(100).startswith(b"HTTP/1.1 200")
            os.kill(process.pid, signal.SIGTERM)

            assert process.wait(20) == 0
        finally:
            process.kill()
    listener.close()
