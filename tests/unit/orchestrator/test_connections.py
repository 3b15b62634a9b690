"""Persistent connections give every request its own answer, whole, or say how the exchange failed."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.protocol.failures import ExchangeFailed, Failure
from orchestrator.services.connections import Connections, ServiceRequest

ASKED = ServiceRequest("GET", "/tickets/T1?full=yes", {"accept": "application/json"})
WHOLE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\ncontent-length: 13\r\n\r\n"
    b'{"id": "T-1"}'
)
CHUNKED = (
    b"HTTP/1.1 404 Not Found\r\ncontent-type: application/problem+json\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\n{'id'\r\n8\r\n: 'T-2'}\r\n0\r\n\r\n"
)
PATIENT_S = 30.0

Answering = Callable[[asyncio.StreamWriter, int], Awaitable[None]]


@dataclass
class Server:
    """A server that answers as it is told.

    Attributes:
        connections: Number of connections opened so far.
        heads: The head of each request.
        gone: Set once a client has closed a connection.
    """

    answering: Answering
    connections: int = 0
    heads: list[bytes] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while not writer.is_closing():
                self.heads.append(await reader.readuntil(b"\r\n\r\n"))
                await self.answering(writer, len(self.heads))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
            self.gone.set()


@asynccontextmanager
async def served(answering: Answering, prefix: str = "") -> AsyncIterator[tuple[Server, Connections]]:
    """A running server, and connections to it."""
    told = Server(answering)
    server = await asyncio.start_server(told.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    connections = Connections(f"http://127.0.0.1:{port}{prefix}")
    try:
        yield told, connections
    finally:
        connections.close()
        server.close()


def saying(*answers: bytes, then_close: bool = False) -> Answering:
    """Answers requests with these bytes in turns, the last one again and again."""

    async def answer(writer: asyncio.StreamWriter, number: int) -> None:
        writer.write(answers[min(number, len(answers)) - 1])
        if then_close:
            writer.close()

    return answer


async def failure(connections: Connections, timeout_s: float = PATIENT_S) -> Failure:
    """How an exchange fails."""
    with pytest.raises(ExchangeFailed) as failed:
        await connections.exchange(ASKED, timeout_s)
    return failed.value.failure


async def test_a_request_says_what_it_is_asked_to_say() -> None:
    async with served(saying(WHOLE), prefix="/desk") as (server, connections):
        await connections.exchange(ASKED, PATIENT_S)

    head = server.heads[0].decode().lower().splitlines()
    assert head[0] == "get /desk/tickets/t1?full=yes http/1.1"
    assert "accept: application/json" in head
    assert not [line for line in head if line.startswith("content-length")]


async def test_requests_one_after_another_share_a_connection() -> None:
    async with served(saying(WHOLE, CHUNKED)) as (server, connections):
        first = await connections.exchange(ASKED, PATIENT_S)
        second = await connections.exchange(ASKED, PATIENT_S)

    assert (first.status, first.media_type, first.body) == (200, "application/json", b'{"id": "T-1"}')
    assert (second.status, second.media_type, second.body) == (
        404,
        "application/problem+json",
        b"{'id': 'T-2'}",
    )
    assert server.connections == 1


async def test_requests_at_the_same_time_have_connections_of_their_own() -> None:
    together = asyncio.Barrier(3)

    async def answer(writer: asyncio.StreamWriter, number: int) -> None:
        await together.wait()
        writer.write(WHOLE)

    async with served(answer) as (server, connections):
        await asyncio.gather(*(connections.exchange(ASKED, PATIENT_S) for _ in range(3)))

    assert server.connections == 3


@given(st.sampled_from([WHOLE, CHUNKED]), st.lists(st.integers(1, 140), max_size=8))
def test_an_answer_is_the_same_however_it_is_cut(answer: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cut for cut in cuts if cut < len(answer)), len(answer)]

    async def in_pieces(writer: asyncio.StreamWriter, number: int) -> None:
        for begin, end in pairwise(places):
            writer.write(answer[begin:end])
            await writer.drain()
            await asyncio.sleep(0)

    async def both() -> list[tuple[int, str, bytes]]:
        async with served(in_pieces) as (_, cut), served(saying(answer)) as (_, whole):
            answers = [await each.exchange(ASKED, PATIENT_S) for each in (cut, whole)]
        return [(each.status, each.media_type, each.body) for each in answers]

    cut, whole = asyncio.run(both())
    assert cut == whole


async def test_a_connection_that_the_server_closes_is_not_used_again() -> None:
    closing = WHOLE.replace(b"\r\ncontent-length", b"\r\nConnection: close\r\ncontent-length")
    async with served(saying(closing)) as (server, connections):
        for _ in range(2):
            assert (await connections.exchange(ASKED, PATIENT_S)).body == b'{"id": "T-1"}'

    assert server.connections == 2


async def test_a_connection_that_breaks_while_idle_is_replaced() -> None:
    async with served(saying(WHOLE, then_close=True)) as (server, connections):
        for _ in range(2):
            assert (await connections.exchange(ASKED, PATIENT_S)).status == 200
            await asyncio.sleep(0.05)

    assert server.connections == 2


@pytest.mark.parametrize(
    ("said", "failed"),
    [(b"", Failure.CLOSED), (WHOLE[:-4], Failure.INCOMPLETE), (b"not HTTP at all\r\n\r\n", Failure.CLOSED)],
    ids=["nothing", "a part", "something else"],
)
async def test_an_answer_that_does_not_come_is_told_by_how_it_failed(said: bytes, failed: Failure) -> None:
    async with served(saying(said, then_close=True)) as (_, connections):
        assert await failure(connections) is failed


async def test_a_reset_connection_is_told_apart_from_a_closed_one() -> None:
    async def reset(writer: asyncio.StreamWriter, number: int) -> None:
        at_once = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        writer.transport.abort()

    async with served(reset) as (_, connections):
        assert await failure(connections) is Failure.RESET


async def test_unreachable_address_counts_as_a_refused_connection(unused_tcp_port: int) -> None:
    assert await failure(Connections(f"http://127.0.0.1:{unused_tcp_port}")) is Failure.REFUSED
    assert await failure(Connections("http://nobody.invalid:80")) is Failure.REFUSED


async def test_an_answer_after_the_time_is_not_the_answer_to_the_next_request() -> None:
    is_over = asyncio.Event()

    async def late_at_first(writer: asyncio.StreamWriter, number: int) -> None:
        if number == 1:
            await is_over.wait()
        writer.write(WHOLE if number == 1 else CHUNKED)

    async with served(late_at_first) as (server, connections):
        assert await failure(connections, timeout_s=0.5) is Failure.TIMEOUT
        is_over.set()
        assert (await connections.exchange(ASKED, PATIENT_S)).status == 404

    assert server.connections == 2


async def test_an_answer_to_a_canceled_request_is_not_the_answer_to_the_next() -> None:
    arrived = asyncio.Event()

    async def answer(writer: asyncio.StreamWriter, number: int) -> None:
        if number == 1:
            arrived.set()
            await asyncio.sleep(0.05)
        writer.write(WHOLE if number == 1 else CHUNKED)

    async with served(answer) as (_, connections):
        canceled = asyncio.create_task(connections.exchange(ASKED, PATIENT_S))
        await arrived.wait()
        canceled.cancel()
        await asyncio.wait([canceled])

        assert (await connections.exchange(ASKED, PATIENT_S)).status == 404


async def test_a_connection_in_use_is_closed_after_its_exchange_once_all_are_to_close() -> None:
    arrived = asyncio.Event()

    async def answer(writer: asyncio.StreamWriter, number: int) -> None:
        arrived.set()
        await asyncio.sleep(0.05)
        writer.write(WHOLE)

    async with served(answer) as (server, connections):
        exchange = asyncio.create_task(connections.exchange(ASKED, PATIENT_S))
        await arrived.wait()
        connections.close()

        assert (await exchange).status == 200
        async with asyncio.timeout(PATIENT_S):
            await server.gone.wait()


@pytest.mark.parametrize("place", ["target", "header"])
async def test_a_line_break_cannot_start_another_header(place: str) -> None:
    broken = "/x\r\nx-forged: yes"
    request = (
        ServiceRequest("GET", broken, {}) if place == "target" else ServiceRequest("GET", "/", {"x": broken})
    )

    async with served(saying(WHOLE)) as (server, connections):
        with pytest.raises(ValueError, match="control character"):
            await connections.exchange(request, PATIENT_S)

    assert (server.heads, server.connections) == ([], 0)
