"""Calls of one agent sent all at once: each waits its turn and is played, however many replicas receive them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack

import httpx
import pytest

from orchestrator.episodes.facade import Episodes

from .agent_client import agent_of, begun, id_of, token_of
from .toy_stack import ToyStack, begin, ready_orchestrator

CALLS = 16
READ = None
#: The item that each call orders, or that it only reads.
Calls = Sequence[str | None]


@pytest.fixture(params=[1, 2, 3], ids="{} replicas".format)
async def replicas(
    request: pytest.FixtureRequest, toy_stack: ToyStack, episodes: Episodes
) -> AsyncIterator[list[Episodes]]:
    """As many orchestrators over one database."""
    async with AsyncExitStack() as stack:
        others = [ready_orchestrator(toy_stack) for _ in range(request.param - 1)]
        yield [episodes, *[await stack.enter_async_context(other) for other in others]]


async def send(replicas: list[Episodes], token: str, calls: Calls) -> list[httpx.Response]:
    """Send calls at once, to one replica after another as a load balancer does."""
    async with AsyncExitStack() as stack:
        agents = [await stack.enter_async_context(agent_of(replica, token)) for replica in replicas]
        sent = [_sent(agents[number % len(agents)], item) for number, item in enumerate(calls)]
        return list(await asyncio.gather(*sent))


async def _sent(agent: httpx.AsyncClient, item: str | None) -> httpx.Response:
    return await (
        agent.get("/shop/orders") if item is READ else agent.post("/shop/orders", json={"item": item})
    )


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param(["lamp"] * CALLS, id="equal writes"),
        pytest.param(["lamp", "table"] * (CALLS // 2), id="writes"),
        pytest.param([READ] * CALLS, id="reads"),
        pytest.param([READ, "lamp", READ, "table"] * (CALLS // 4), id="both"),
    ],
)
async def test_every_parallel_call_of_an_agent_is_a_step_of_its_own(
    replicas: list[Episodes], calls: Calls
) -> None:
    reply = await begun(replicas[0], max_steps=CALLS + 4)

    answers = await send(replicas, token_of(reply), calls)

    assert {answer.status_code for answer in answers} <= {200, 201}
    assert sorted(int(answer.headers["companyos-step"]) for answer in answers) == list(range(1, CALLS + 1))
    trace = await replicas[-1].trace(id_of(reply))
    assert [record["step"] for record in trace] == list(range(CALLS + 1))
    ordered = [record for record in trace[1:] if record["action"]["tool_name"] == "shop_place_order"]
    assert len(ordered) == CALLS - list(calls).count(READ)


async def test_a_call_waits_for_the_step_of_its_trainer(episodes: Episodes) -> None:
    play = await begin(episodes)
    token = token_of(play.replies[0])

    async with agent_of(episodes, token) as agent:
        trainers, agents = await asyncio.gather(
            play.call("shop_place_order", item="lamp"), agent.post("/shop/orders", json={"item": "table"})
        )

    assert sorted([trainers.observation["step"], int(agents.headers["companyos-step"])]) == [1, 2]
