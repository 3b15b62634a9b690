"""A request that offers to go on in another protocol is read as if it offered nothing, body and all."""

from __future__ import annotations

import asyncio

import pytest

from tests.patience import PATIENCE_S

from .test_connections import UPGRADE, limited

H2C = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
SOCKET = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: YWJj\r\n"
)
SIZED = b"Content-Length: 10\r\n\r\n0123456789"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n7\r\n0123456\r\n3\r\n789\r\n0\r\n\r\n"


def post(*headers: bytes) -> bytes:
    return b"POST / HTTP/1.1\r\nHost: x\r\n" + b"".join(headers)


async def replies_to(*packets: bytes, answers: int) -> list[bytes]:
    """Send packets one after the other; return the bodies of this many answers, each less than ten bytes long."""
    async with limited(body_s=0.5) as (host, port), asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection(host, port)
        for packet in packets:
            writer.write(packet)
            await writer.drain()
            await asyncio.sleep(0.02)
        bodies = []
        for _ in range(answers):
            head = await reader.readuntil(b"\r\n\r\n")
            size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
            bodies.append(head.partition(b"\r\n")[0][9:12] + b" " + await reader.readexactly(size))
        writer.close()
        return bodies


@pytest.mark.parametrize("offer", [H2C, SOCKET, H2C + b"Upgrade: websocket\r\n"])
@pytest.mark.parametrize("body", [SIZED, CHUNKED])
async def test_the_body_behind_an_offer_is_read(offer: bytes, body: bytes) -> None:
    whole = post(offer, body)

    assert await replies_to(whole, answers=1) == [b"200 10"]
    assert await replies_to(*(whole[at : at + 9] for at in range(0, len(whole), 9)), answers=1) == [b"200 10"]


async def test_requests_around_an_offer_are_answered_in_their_order() -> None:
    requests = [post(b"Content-Length: 2\r\n\r\nab"), post(H2C, CHUNKED), post(H2C, b"\r\n"), post(SIZED)]
    expected = [b"200 2", b"200 10", b"200 0", b"200 10"]

    assert await replies_to(b"".join(requests), answers=4) == expected
    assert await replies_to(*requests, answers=4) == expected
    assert await replies_to(post(H2C, b"\r\n") * 400, answers=400) == [b"200 0"] * 400


async def test_a_cut_body_behind_an_offer_is_no_request() -> None:
    (reply,) = await replies_to(post(H2C, SIZED[:-1]), answers=1)

    assert reply.startswith(b"408 ")


async def test_a_handshake_is_no_such_offer() -> None:
    async with limited() as (host, port), asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(UPGRADE + b"dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")

        assert (await reader.readline()).startswith(b"HTTP/1.1 101 ")
        writer.close()


async def test_a_tunnel_is_not_opened() -> None:
    async with limited() as (host, port), asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
        writer.write_eof()

        assert b" 200 " not in await reader.read()
        writer.close()


FRAME = b"\x81\x85\x00\x00\x00\x00hello"
PING = b"\x89\x80\x00\x00\x00\x00"


@pytest.mark.parametrize("packets", [1, 2])
@pytest.mark.parametrize("path", [b"/ws", b"/slow"])
async def test_frames_that_arrive_with_a_handshake_are_read(packets: int, path: bytes) -> None:
    handshake = (
        UPGRADE.replace(b"/ws", path) + b"dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    parts = (
        [handshake, PING + FRAME + FRAME[:-1]] if packets == 2 else [handshake + PING + FRAME + FRAME[:-1]]
    )
    async with limited() as (host, port), asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection(host, port)
        for part in parts:
            writer.write(part)
            await asyncio.sleep(0.02)
        head = await reader.readuntil(b"\r\n\r\n")
        frames = await reader.readexactly(2 + 7)
        writer.write(FRAME[-1:])

        assert head.startswith(b"HTTP/1.1 101 ")
        assert frames == b"\x8a\x00\x81\x05hello"
        assert await reader.readexactly(7) == b"\x81\x05hello"
        writer.close()


async def test_a_handshake_behind_a_request_waits_for_no_answer_of_that_request() -> None:
    slow = post(b"Content-Length: 2\r\n\r\nab").replace(b" / ", b" /slow ")
    handshake = UPGRADE + b"dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    async with limited() as (host, port), asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(slow)
        await asyncio.sleep(0.05)
        writer.write(handshake)
        received = await reader.read()
        writer.close()

    assert received.startswith(b"HTTP/1.1 200 ")
    assert b" 101 " not in received


async def test_frames_behind_a_handshake_that_is_refused_are_not_read() -> None:
    async with limited() as (host, port), asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(UPGRADE + b"c2hvcnQ=\r\nSec-WebSocket-Version: 13\r\n\r\n" + PING + FRAME)
        received = await reader.read()
        writer.close()

    assert received.startswith(b"HTTP/1.1 400 ")
    assert b"hello" not in received
