"""A listener has a limited number of connections, and none waits for its client for ever."""

from __future__ import annotations

import asyncio
import resource
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, MutableMapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs
from websockets.asyncio.client import connect

from companyos.embedded import drain
from companyos.embedded.drain import Drain, Server
from companyos.embedded.listeners.connections import MAX_HEAD_BYTES, Listener
from companyos.embedded.listeners.descriptors import shares
from companyos.embedded.listeners.time_limits import TimeLimits
from companyos.embedded.ports import listen
from tests.patience import PATIENCE_S

QUICK_S = 0.4
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
UPGRADE = b"GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: "


async def counting(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the number of bytes in the body, or the headers by their names; echo on a socket."""
    if scope["type"] == "lifespan":
        for stage in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{stage}.complete"})
        return
    if scope["type"] == "websocket":
        await receive()
        if scope["path"] == "/slow":
            await asyncio.sleep(QUICK_S)
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})
        return
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message["body"]), message["more_body"]
    if scope["path"] == "/slow":
        await asyncio.sleep(2 * QUICK_S)
    body = b"x" * 8_000_000 if scope["path"] == "/large" else b"%d" % size
    if scope["path"] == "/names":
        body = b", ".join(b": ".join(header) for header in scope["headers"])
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def limited(most: int = 100, *, pings_s: float = 20, **times: float) -> AsyncIterator[tuple[str, int]]:
    """Serve `counting` with these limits, which are looked at often, and yield the address."""
    limits = {"head_s": 60.0, "body_s": 60.0, "idle_s": 60.0, **times}
    listener = listen("127.0.0.1", 0, exactly=True)
    server = Server(
        Drain(lambda: counting),
        Listener("test", most, most, TimeLimits(**limits)),
        log_level="error",
        lifespan="on",
        ws_ping_interval=pings_s,
        ws_ping_timeout=pings_s,
    )
    serving = asyncio.create_task(server._serve([listener]))
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield listener.getsockname()
    finally:
        server.handle_exit(signal.SIGTERM, None)
        async with asyncio.timeout(PATIENCE_S):
            await serving


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drain, "TICK_S", 0.05)
    # Longer than `ending` waits between two parts: what is sent to a closed connection resets it.
    monkeypatch.setattr(drain, "LINGER_S", 0.5)
    structlog.reset_defaults()


async def ending(address: tuple[str, int], *sent: bytes) -> bytes:
    """Send this, one part every tenth of a second, and return all that comes before the server closes."""
    reader, writer = await asyncio.open_connection(*address)
    reading = asyncio.create_task(reader.read())
    for part in sent:
        if reading.done():
            break
        writer.write(part)
        await asyncio.sleep(0.1)
    try:
        return await asyncio.wait_for(reading, PATIENCE_S)
    finally:
        writer.close()


async def first_entry(logs: Sequence[MutableMapping[str, Any]]) -> MutableMapping[str, Any]:
    """Wait for what the listener logs first, among entries of whatever else this process serves."""
    async with asyncio.timeout(PATIENCE_S):
        while not (of_listener := [entry for entry in logs if entry.get("listener") == "test"]):
            await asyncio.sleep(0.05)
    return of_listener[0]


async def is_let_in(address: tuple[str, int]) -> bool:
    """Return whether the listener answers one more request; a refusal may be lost to the request that it crosses."""
    with suppress(ConnectionError):
        answer = await ending(address, GET[:-2] + b"Connection: close\r\n\r\n")
        return answer.startswith(b"HTTP/1.1 200")
    return False


@pytest.mark.parametrize(
    ("limit", "sent", "reply"),
    [
        ("head_s", [], b""),
        ("head_s", [GET[:10]], b"HTTP/1.1 408"),
        ("head_s", [GET[:-2], *[b"A: b\r\n"] * 50], b"HTTP/1.1 408"),
        ("head_s", [UPGRADE], b"HTTP/1.1 408"),
        ("head_s", [GET, GET[:10]], b"HTTP/1.1 200"),
        ("body_s", [POST], b"HTTP/1.1 408"),
        ("body_s", [POST, *[b"x"] * 9], b"HTTP/1.1 408"),
        (
            "body_s",
            [b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"],
            b"HTTP/1.1 408",
        ),
        ("idle_s", [GET], b"HTTP/1.1 200"),
        ("idle_s", [GET, b"\r\n", b"\r\n"], b"HTTP/1.1 200"),
    ],
)
async def test_a_client_that_is_too_slow_is_told_and_disconnected(
    limit: str, sent: list[bytes], reply: bytes
) -> None:
    async with limited(**{limit: QUICK_S}) as address:
        with capture_logs() as logs:
            received = await ending(address, *sent)

    assert received.startswith(reply)
    assert received.count(b"HTTP/1.1") == (1 if reply else 0) + (sent[-1:] == [GET[:10]] and len(sent) > 1)
    # Services of other tests run in this process, too.
    told = [line["event"] for line in logs if line["event"].startswith("connections_")]
    assert told == ([] if limit == "idle_s" else ["connections_timed_out"])


async def test_a_body_that_arrives_slowly_but_steadily_is_read() -> None:
    async with limited(body_s=QUICK_S) as address:
        parts = [b"x" * 2048] * 10
        head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 20480\r\n\r\n"

        assert (await ending(address, head, *parts)).endswith(b"20480")


async def test_a_client_that_does_not_read_its_answer_is_disconnected() -> None:
    async with limited(body_s=QUICK_S) as address:
        reader, writer = await asyncio.open_connection(*address, limit=1024)
        writer.write(GET.replace(b"/", b"/large", 1))
        with capture_logs() as logs:
            entry = await first_entry(logs)

        assert entry["waiting_for"] == "reader"
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(8_000_000)
        writer.close()


async def test_an_endless_head_is_refused() -> None:
    async with limited() as address:
        received = await ending(address, GET[:-2] + b"A: " + b"b" * MAX_HEAD_BYTES)

    assert received.startswith(b"HTTP/1.1 431")


async def test_a_listener_that_is_full_refuses_with_a_hint_and_says_so_in_the_log() -> None:
    async with limited(most=2) as address:
        held = [await asyncio.open_connection(*address) for _ in range(2)]
        for _, writer in held:
            writer.write(GET[:10])

        with capture_logs() as logs:
            refused = await ending(address, b"")
            entry = await first_entry(logs)
            held[0][1].close()
            async with asyncio.timeout(PATIENCE_S):
                while not await is_let_in(address):
                    await asyncio.sleep(0.05)
        held[1][1].close()

    assert refused.startswith(b"HTTP/1.1 503")
    assert b"retry-after: 1" in refused
    assert b"too_many_connections" in refused
    assert (entry["event"], entry["most"]) == ("connections_refused", 2)


async def test_websockets_count_and_are_not_cut_while_they_are_idle() -> None:
    async with limited(most=1, head_s=QUICK_S, body_s=QUICK_S, idle_s=QUICK_S) as (host, port):
        async with connect(f"ws://{host}:{port}/ws", proxy=None) as socket:
            await asyncio.sleep(3 * QUICK_S)
            await socket.send("still here")

            assert await socket.recv() == "still here"
            assert (await ending((host, port), b"")).startswith(b"HTTP/1.1 503")
        async with asyncio.timeout(PATIENCE_S):
            while not await is_let_in((host, port)):
                await asyncio.sleep(0.05)


@pytest.mark.parametrize("stalled", [b"", b"\x81", b"\x81\xfe\x01", b"\x01\x80mask"])
async def test_a_websocket_whose_client_stalls_in_a_message_is_closed(stalled: bytes) -> None:
    upgrade = UPGRADE + b"dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"

    async with limited(pings_s=QUICK_S) as address:
        assert (await ending(address, upgrade, stalled)).startswith(b"HTTP/1.1 101")


@pytest.mark.parametrize("descriptors", [64, 256, 1024, 65_536])
def test_a_listener_cannot_take_the_descriptors_of_another(descriptors: int) -> None:
    trainers, agents = shares(descriptors, 4096, listeners=2)

    assert 0 < agents <= trainers <= 4096
    assert trainers + agents <= descriptors - min(256, descriptors // 2)


def test_a_process_raises_its_limit_of_open_files() -> None:
    hard = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 4096)
    program = (
        f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (128, {hard}))\n"
        "from companyos.embedded.listeners.descriptors import raise_limit\n"
        "print(raise_limit(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )

    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert shown.stdout.split() == [str(hard), str(hard)]


@pytest.mark.parametrize(("most", "level"), [(300, "warning"), (4096, "info")])
def test_a_listener_tells_how_many_connections_it_can_have(most: int, level: str) -> None:
    with capture_logs() as logs:
        Listener("test", most, 4096, TimeLimits(1.0, 1.0, 1.0)).announce()

    told = {"event": "listening", "listener": "test", "most_connections": most, "wanted": 4096}
    assert {**told, "log_level": level} in logs
