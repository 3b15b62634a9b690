"""What a fault says on the wire is what a real failure of its kind says, byte for byte."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from companyos.chassis.web.injected_responses import CODES, injected_response
from companyos.chassis.web.problems import answer_late, answer_lost
from companyos.chassis.world.context import HEADER, Context, sign
from companyos.sdk.chaos import FaultId
from orchestrator.agent.observations import how_to_repeat, unanswered
from orchestrator.agent.tools import ToolRequest
from orchestrator.episodes.facade import Episodes
from orchestrator.protocol.problems import Outage
from orchestrator.services.gateway import Gateway
from tests.live_services import ADMIN_TOKEN, CONTEXT_KEY, serving
from tests.patience import PATIENCE_S

from ..orchestrator import toy_shop
from ..orchestrator.toy_stack import Play, ToyStack, begin
from .conftest import one_fault

CONTEXT = Context(1, (-1, 1), 0, "ann", "clerk", "s1", "s1")
LOAD_BALANCER = Path(__file__).parents[3] / "deploy" / "load-balancer"
#: What an ordinary request goes, and one that FastAPI has to look at.
WAYS = {"short": {}, "long": {"content-type": "text/plain"}}


#: Of the time, and of the connection between two programs, of which no agent hears.
IGNORED = (b"date", b"connection")


async def answered(url: str, way: str, context: Context = CONTEXT) -> tuple[int, list[Any], bytes]:
    """Return status, headers and body of the answer to a read of an order."""
    headers = {HEADER: sign(context, CONTEXT_KEY), **WAYS[way]}
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client:
        answer = await client.get("/orders/OLD-0", headers=headers)
    return answer.status_code, [pair for pair in answer.headers.raw if pair[0] not in IGNORED], answer.content


@pytest.mark.parametrize("way", WAYS)
async def test_a_database_that_is_said_to_be_away_answers_as_one_that_is(
    toy_stack: ToyStack, way: str
) -> None:
    nowhere = SecretStr("postgresql://shop@127.0.0.1:1/companyos?connect_timeout=1")
    stopped = toy_stack.databases.settings("shop").model_copy(update={"database_url": nowhere})
    decided = replace(CONTEXT, injected_response=injected_response("database_unavailable"))

    async with serving(toy_shop.create_app(stopped)) as url:
        real = await answered(url, way)

    assert real[0] == 503
    assert await answered(toy_stack.services["shop"], way, decided) == real


@pytest.mark.parametrize("way", WAYS)
async def test_a_failure_that_is_only_said_answers_as_a_route_that_breaks(
    toy_stack: ToyStack, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any) -> None:
        raise ZeroDivisionError

    decided = await answered(
        toy_stack.services["shop"],
        way,
        replace(CONTEXT, injected_response=injected_response("internal_error")),
    )
    monkeypatch.setattr(toy_shop, "load", broken)

    real = await answered(toy_stack.services["shop"], way)

    assert real[0] == 500
    assert decided == real


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("code", "response"), [("answer_lost", answer_lost()), ("answer_late", answer_late())]
)
async def test_an_injected_gateway_failure_has_the_bytes_of_the_load_balancers(
    toy_stack: ToyStack, way: str, code: str, response: Any
) -> None:
    head, _, body = (LOAD_BALANCER / f"{code}.http").read_bytes().partition(b"\r\n\r\n")
    told = dict(line.split(b": ") for line in head.split(b"\r\n")[1:])
    for ignored in IGNORED:
        told.pop(ignored, None)

    status, headers, content = await answered(
        toy_stack.services["shop"], way, replace(CONTEXT, injected_response=injected_response(code))
    )

    assert (status, content) == (int(head.split()[1]), body)
    assert told.items() <= dict(headers).items()
    assert response.body == body


@pytest.mark.parametrize("code", CODES)
async def test_both_ways_answer_a_verdict_alike_and_before_anything_is_done(
    toy_stack: ToyStack, code: str
) -> None:
    decided = replace(CONTEXT, injected_response=injected_response(code, 120))

    short, long = [await answered(toy_stack.services["shop"], way, decided) for way in WAYS]

    assert short == long
    assert short[0] in (401, 429, 500, 502, 503, 504)
    assert f'"type":"{code}"'.encode() in short[2]


async def test_when_to_come_back_is_in_the_header_and_in_the_document(toy_stack: ToyStack) -> None:
    limited = replace(CONTEXT, injected_response=injected_response("rate_limited", 120))

    _, headers, body = await answered(toy_stack.services["shop"], "short", limited)

    assert (b"retry-after", b"120") in [(name.lower(), value) for name, value in headers]
    assert b'"retry_after_s":120' in body


async def test_unreachable_service_stays_an_outage_despite_an_injected_response(toy_stack: ToyStack) -> None:
    request = ToolRequest("GET", "/orders/OLD-0")

    async with gateway_to({"shop": toy_stack.services["shop"]}) as gateway:
        answer = await gateway.call(
            "shop", request, replace(CONTEXT, injected_response=injected_response("session_expired"))
        )
    async with gateway_to({"shop": "http://127.0.0.1:1"}) as nobody:
        with pytest.raises(Outage):
            await nobody.call(
                "shop", request, replace(CONTEXT, injected_response=injected_response("session_expired"))
            )

    assert answer.code == "session_expired"


Writer = asyncio.StreamWriter


async def silent(reader: asyncio.StreamReader, _writer: Writer) -> None:
    await reader.read()


async def resetting(_reader: asyncio.StreamReader, writer: Writer) -> None:
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def closing(_reader: asyncio.StreamReader, writer: Writer) -> None:
    writer.close()


async def truncating(_reader: asyncio.StreamReader, writer: Writer) -> None:
    writer.write(b'HTTP/1.1 201 Created\r\ncontent-length: 400\r\n\r\n{"result":{"id"')
    await writer.drain()
    writer.close()


Behavior = Callable[[asyncio.StreamReader, Writer], Any]


@asynccontextmanager
async def gateway_to(services: dict[str, str]) -> AsyncIterator[Gateway]:
    async with Gateway(services, context_key=CONTEXT_KEY, admin_token=ADMIN_TOKEN, call_s=1.5) as gateway:
        yield gateway


@asynccontextmanager
async def failing(behavior: Behavior) -> AsyncIterator[str]:
    """A server that takes requests and then does as it does."""

    async def serve(reader: asyncio.StreamReader, writer: Writer) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await behavior(reader, writer)
        with suppress(OSError):
            writer.close()
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def really(url: str) -> dict[str, Any]:
    """Return what an agent would be told of a real failure to place an order there."""
    async with gateway_to({"shop": url}) as gateway:
        with pytest.raises(Outage) as caught:
            await gateway.call("shop", ToolRequest("POST", "/orders", b'{"item":"lamp"}'), CONTEXT)
    assert caught.value.failure is not None
    again = how_to_repeat({"item": "lamp"}, idempotent=False)
    error = unanswered("shop_place_order", "shop", caught.value.failure, again=again).error
    assert error is not None
    return error.document


async def told(episodes: Episodes, fault: FaultId, **params: Any) -> dict[str, Any]:
    """Return what an agent is told of this fault."""
    play: Play = await begin(episodes, chaos=one_fault(fault, params=params))
    error: dict[str, Any] = (await play.call("shop_place_order", item="lamp")).observation["error"]
    return error


@pytest.mark.parametrize(
    ("behavior", "faults"),
    [
        (silent, [(FaultId.TIMEOUT_BEFORE, {}), (FaultId.LOST_ACK, {})]),
        (
            resetting,
            [(FaultId.CONN_RESET, {"direction": [which]}) for which in ("request", "reply")],
        ),
        (closing, [(FaultId.SLOW_CLOSE, {})]),
        (truncating, [(FaultId.TRUNCATED_BODY, {})]),
    ],
    ids=["silent", "resetting", "closing", "truncating"],
)
async def test_a_lost_exchange_is_told_of_as_a_real_one_is_whether_or_not_it_was_carried_out(
    episodes: Episodes, behavior: Behavior, faults: list[tuple[FaultId, Any]]
) -> None:
    async with failing(behavior) as url:
        real = await really(url)

    assert real["outcome"] == "unknown"
    assert [await told(episodes, fault, **params) for fault, params in faults] == [real] * len(faults)


async def test_a_refused_connection_is_told_of_as_a_real_one_is(episodes: Episodes) -> None:
    assert await told(episodes, FaultId.RESTART) == await really("http://127.0.0.1:1")
