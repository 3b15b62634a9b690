"""Every way in which a service can fail to answer is an outage with its name, and never the agent's mistake."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI, Request, Response

from companyos.chassis.world.context import HEADER, Context, read
from orchestrator.agent.tools import ToolRequest
from orchestrator.protocol.effects import UnitOutcome
from orchestrator.protocol.problems import CallRejected, Outage
from orchestrator.services.answers import PROBLEM
from orchestrator.services.gateway import Gateway
from tests.live_services import serving
from tests.patience import PATIENCE_S

KEY = "a-context-key-for-tests"
CONTEXT = Context(1, (-1, 1), 0, "ann", "clerk", "s1", "s1")
PROBLEM_BODY = b'{"type":"ticket_unknown","status":404,"detail":"There is no ticket."}'
EFFECTS_BODY = b'{"result":{"id":"T1"},"effects":{"changes":[],"events":[]}}'

app = FastAPI()


@app.post("/answers/{status}/{kind}")
async def answers(status: int, kind: str, request: Request) -> Response:
    """Answer as the path says."""
    assert read(request.headers[HEADER], KEY) == CONTEXT
    bodies = {"json": EFFECTS_BODY, "problem": PROBLEM_BODY, "text": b"oops"}
    media_type = {"json": "application/json", "problem": PROBLEM, "text": "text/plain"}[kind]
    return Response(bodies[kind], status, media_type=media_type)


@app.get("/health")
async def health() -> None:
    """Answer at once."""


@app.put("/admin/bases/{digest}")
async def load_slowly(digest: str) -> dict[str, int]:
    """Take longer than the pause between two probes."""
    await asyncio.sleep(2.5)
    return {"layer": -1, "next_due": 7}


@app.get("/admin/manifest")
async def never_answers() -> None:
    """Take longer than anybody waits."""
    await asyncio.sleep(6)


@pytest.fixture(scope="module")
async def gateway() -> AsyncIterator[Gateway]:
    async with (
        serving(app) as url,
        Gateway(
            {"desk": url, "nobody": "http://127.0.0.1:1"}, context_key=KEY, admin_token="t", call_s=2.0
        ) as opened,
    ):
        yield opened


async def test_a_result_comes_with_its_effects(gateway: Gateway) -> None:
    answer = await gateway.call("desk", ToolRequest("POST", "/answers/201/json", b"{}"), CONTEXT)

    assert (answer.result, answer.outcome, answer.problem) == ({"id": "T1"}, UnitOutcome(), None)


@pytest.mark.parametrize("status", [403, 404, 409, 413, 422])
async def test_a_problem_document_is_a_refusal(gateway: Gateway, status: int) -> None:
    answer = await gateway.call("desk", ToolRequest("POST", f"/answers/{status}/problem"), CONTEXT)

    assert answer.problem is not None
    assert answer.problem["type"] == "ticket_unknown"


@pytest.mark.parametrize(
    "target",
    [
        "/answers/500/problem",
        "/answers/503/text",
        "/answers/200/text",
        "/answers/302/text",
    ],
)
async def test_anything_else_is_an_outage(gateway: Gateway, target: str) -> None:
    with pytest.raises(Outage) as outage:
        await gateway.call("desk", ToolRequest("POST", target), CONTEXT)

    assert outage.value.part == "desk"
    assert outage.value.refusal().retryable


@pytest.mark.parametrize("target", ["/answers/401/problem", "/answers/429/problem", "/answers/404/text"])
async def test_a_call_that_a_service_rejects_is_no_outage_to_wait_out(gateway: Gateway, target: str) -> None:
    with pytest.raises(CallRejected) as outage:
        await gateway.call("desk", ToolRequest("POST", target), CONTEXT)

    assert outage.value.hopeless
    assert not outage.value.refusal().retryable


@pytest.mark.parametrize("target", ["/answers/414/text", "/answers/200/json?q=" + "x" * 200_000])
async def test_a_call_too_large_for_the_server_is_a_refusal_of_its_arguments(
    gateway: Gateway, target: str
) -> None:
    answer = await gateway.call("desk", ToolRequest("POST", target), CONTEXT)

    assert answer.problem is not None
    assert answer.problem["type"] == "invalid_request"


async def test_a_service_that_is_not_there_is_an_outage(gateway: Gateway) -> None:
    with pytest.raises(Outage, match="nobody: not reachable"):
        await gateway.manifest("nobody")


async def test_an_admin_route_that_refuses_is_an_outage(gateway: Gateway) -> None:
    with pytest.raises(Outage, match="status 404"):
        await gateway.reap("desk", [1])


async def test_a_service_that_hangs_is_an_outage_when_its_time_is_up(gateway: Gateway) -> None:
    with pytest.raises(Outage, match="no answer in time"):
        await gateway.manifest("desk")


async def load(gateway: Gateway, service: str) -> tuple[int | None, bool]:
    return await gateway.load_base(service, "digest", layer=-1, start=0, rows={}, faults=None)


async def test_a_long_request_goes_on_while_its_service_is_alive(gateway: Gateway) -> None:
    assert await load(gateway, "desk") == (7, False)


async def never_read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Keep a connection until the other side closes it."""
    await reader.read()
    writer.close()


async def test_a_long_request_to_a_frozen_service_ends_early() -> None:
    # The kernel accepts the connections of a frozen process, which then answers on none.
    frozen = await asyncio.start_server(never_read, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{frozen.sockets[0].getsockname()[1]}"
    async with frozen, Gateway({"desk": url}, context_key=KEY, admin_token="t", call_s=0.2) as gateway:
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(Outage, match="no answer in time"):
                await load(gateway, "desk")
