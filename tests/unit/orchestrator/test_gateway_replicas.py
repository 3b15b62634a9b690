"""One name, two replicas of a service: calls reach both, and the death of one is not noticed."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from companyos.chassis.world.context import HEADER, read
from orchestrator.agent.tools import ToolRequest
from orchestrator.services.gateway import Gateway

from .test_gateway import CONTEXT, EFFECTS_BODY, KEY

NAME = "desk.test"
ADDRESSES = ("127.0.0.1", "127.0.0.2")
CALL = ToolRequest("POST", "/tickets", b"{}")


@dataclass
class Replica:
    """One replica: the idempotency keys of the calls it got, and what it does with the next."""

    address: str
    keys: list[str] = field(default_factory=list)
    dies: bool = False
    together: asyncio.Barrier | None = None

    async def answer(self, request: web.Request) -> web.Response:
        self.keys.append(read(request.headers[HEADER], KEY).key)
        if self.dies:
            assert request.transport is not None
            request.transport.abort()
        if self.together is not None:
            await self.together.wait()
        return web.Response(body=EFFECTS_BODY, content_type="application/json")

    async def serve(self, port: int, stack: AsyncExitStack) -> web.AppRunner:
        app = web.Application()
        app.router.add_post("/tickets", self.answer)
        runner = web.AppRunner(app)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, self.address, port).start()
        return runner


@dataclass
class Replicas:
    """The replicas, how to end one, and the gateway to them."""

    replicas: list[Replica]
    runners: list[web.AppRunner]
    gateway: Gateway


@pytest.fixture
async def replicas(monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int) -> AsyncIterator[Replicas]:
    loop = asyncio.get_running_loop()
    asked = loop.getaddrinfo

    async def getaddrinfo(host: Any, port: Any, **options: Any) -> Any:
        if host != NAME:
            return await asked(host, port, **options)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in ADDRESSES]

    monkeypatch.setattr(loop, "getaddrinfo", getaddrinfo)
    async with AsyncExitStack() as stack:
        replicas = [Replica(address) for address in ADDRESSES]
        runners = [await replica.serve(unused_tcp_port, stack) for replica in replicas]
        services = {"desk": f"http://{NAME}:{unused_tcp_port}"}
        opened = Gateway(services, context_key=KEY, admin_token="t", call_s=2.0)
        yield Replicas(replicas, runners, await stack.enter_async_context(opened))


async def test_calls_at_the_same_time_are_shared_by_the_replicas(replicas: Replicas) -> None:
    together = asyncio.Barrier(6)
    for replica in replicas.replicas:
        replica.together = together

    await asyncio.gather(*(replicas.gateway.call("desk", CALL, CONTEXT) for _ in range(6)))

    assert [len(replica.keys) for replica in replicas.replicas] == [3, 3]


@pytest.mark.parametrize("gone", [0, 1])
async def test_a_replica_that_is_gone_is_not_missed(replicas: Replicas, gone: int) -> None:
    await replicas.gateway.call("desk", CALL, CONTEXT)
    await replicas.runners[gone].cleanup()
    before = len(replicas.replicas[1 - gone].keys)

    for _ in range(4):
        assert (await replicas.gateway.call("desk", CALL, CONTEXT)).problem is None

    assert len(replicas.replicas[1 - gone].keys) == before + 4


@pytest.mark.parametrize("dying", [0, 1])
async def test_a_call_in_the_hands_of_a_dying_replica_is_made_at_another_under_its_key(
    replicas: Replicas, dying: int
) -> None:
    replicas.replicas[dying].dies = True

    for _ in range(4):
        assert (await replicas.gateway.call("desk", CALL, CONTEXT)).problem is None

    survivor = replicas.replicas[1 - dying]
    assert len(survivor.keys) == 4
    assert {*survivor.keys, *replicas.replicas[dying].keys} == {CONTEXT.key}
