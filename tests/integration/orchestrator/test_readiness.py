"""What the probes of an orchestrator say while it starts, and when something that it needs is away later."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import httpx
import pytest

from orchestrator.http.app import trainer_api
from orchestrator.http.messages.guard import TrainerAccess
from tests.live_services import serving

from .faulty_proxy import FaultyProxy, State, proxy_to
from .toy_stack import ToyStack

LONGEST_S = 20.0


@pytest.fixture
async def shop(toy_stack: ToyStack) -> AsyncIterator[FaultyProxy]:
    """A service that is away at first."""
    async with proxy_to(toy_stack.services["shop"]) as proxy:
        proxy.cut()
        yield proxy


@pytest.fixture
async def starting(toy_stack: ToyStack, shop: FaultyProxy) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an orchestrator that waits for a service."""
    services = {**toy_stack.services, "shop": shop.url}
    opened = partial(toy_stack.orchestrator, services=services, call_s=2.0)
    api = trainer_api(opened, TrainerAccess(published_host="127.0.0.1"), max_sessions=8)
    async with serving(api) as url, httpx.AsyncClient(base_url=url) as http:
        yield http


async def test_a_process_is_unhealthy_until_it_was_ready_once(
    starting: httpx.AsyncClient, shop: FaultyProxy
) -> None:
    early = await starting.get("/health")
    shop.state = State.UP
    async with asyncio.timeout(LONGEST_S):
        while (started := await starting.get("/health")).status_code != 200:
            await asyncio.sleep(0.05)
    shop.cut()
    later = await starting.get("/health")

    assert (early.status_code, early.json()) == (503, {"status": "unhealthy"})
    assert early.headers["retry-after"] == "1"
    assert started.json() == later.json() == {"status": "healthy"}
    assert later.status_code == 200


async def test_readiness_names_the_parts_that_are_waited_for(
    starting: httpx.AsyncClient, shop: FaultyProxy
) -> None:
    waiting = await starting.get("/ready")
    shop.state = State.UP
    async with asyncio.timeout(LONGEST_S):
        while (ready := await starting.get("/ready")).status_code != 200:
            await asyncio.sleep(0.05)

    assert (waiting.status_code, waiting.json()) == (503, {"ready": False, "waiting_for": ["shop"]})
    assert waiting.headers["retry-after"] == "1"
    assert ready.json() == {"ready": True}
