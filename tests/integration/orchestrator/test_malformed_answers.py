"""A malformed answer of a service is no answer: the step waits for a better one, and nothing odd reaches an agent."""

import asyncio
from collections.abc import AsyncIterator

import orjson
import pytest

from companyos.chassis.world.context import Context
from orchestrator.episodes.facade import Episodes, Refusal
from orchestrator.protocol.problems import ServiceFailed
from tests.patience import PATIENCE_S
from tests.sizes import size

from .altering_proxy import AlteringProxy, behind_altering_proxy, problem, response
from .faulty_proxy import listening
from .test_outages import orders, refused
from .toy_stack import ToyStack, begin

ORDER = {"id": "ORD-0001", "item": "lamp", "status": "placed", "parcel": None}
NO_EFFECTS = {"changes": [], "events": []}
WAITED_FOR = (503, "service_unavailable", True)


def result(value: object = ORDER, effects: object = NO_EFFECTS, status: str = "201 Created") -> bytes:
    return response(orjson.dumps({"result": value, "effects": effects}), status=status)


MALFORMED = {
    "null": response(b"null"),
    "a list": response(b"[]"),
    "a number": response(b"5"),
    "no JSON": response(b"<html>welcome</html>"),
    "an empty body": response(b""),
    "half of a value": response(b'{"result": {"id"'),
    "no result": response(orjson.dumps({"effects": NO_EFFECTS})),
    "a result that is null": result(None),
    "a result that is a number": result(5),
    "no effects": response(orjson.dumps({"result": ORDER})),
    "effects that are null": result(effects=None),
    "effects that are a list": result(effects=[]),
    "changes of another shape": result(effects={"changes": [5], "events": []}),
    "events of another shape": result(effects={"changes": [], "events": [{"id": 1, "name": 2}]}),
    "an event of another step": result(effects={"changes": [], "events": [{"id": "s9.shop.1", "name": "x"}]}),
    "an instant that is text": result(effects={**NO_EFFECTS, "next_due": "soon"}),
    "another content type": response(
        orjson.dumps({"result": ORDER, "effects": NO_EFFECTS}), kind="text/html"
    ),
    "no content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "a part": result(status="206 Partial Content"),
    "a redirect": b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n",
    "a status of its own": response(b"{}", status="299 Well"),
    "a refusal that is no problem": response(b"Forbidden", status="403 Forbidden", kind="text/html"),
    "a problem that is null": response(b"null", status="409 Conflict", kind="application/problem+json"),
    "a problem that is a list": response(b"[]", status="409 Conflict", kind="application/problem+json"),
    "a problem whose type is a number": problem(409, type=5, detail="No."),
    "a problem whose type is null": problem(409, type=None, detail="No."),
    "a problem without a type": problem(409, detail="No."),
    "a problem without a detail": problem(409, type="refused"),
    "a problem whose detail is an object": problem(409, type="refused", detail={"a": 1}),
    "a problem whose field is a list": problem(409, type="refused", detail="No.", field=[1]),
    "a problem with values that are no texts": problem(409, type="refused", detail="No.", allowed_values=[1]),
}
CUT = {
    "fewer bytes than announced": b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{}",
    "no last chunk": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n",
    "only an interim response": b"HTTP/1.1 100 Continue\r\n\r\n",
    "no HTTP": b"SSH-2.0-OpenSSH_9.6\r\n",
    "nothing": b"",
}


@pytest.fixture(scope="module")
async def altered(toy_stack: ToyStack) -> AsyncIterator[tuple[Episodes, AlteringProxy]]:
    """An orchestrator that reaches the shop through a proxy, and waits long for it."""
    async with behind_altering_proxy(toy_stack, patience_s=60.0) as reached:
        yield reached


@pytest.mark.parametrize("name", [*MALFORMED, *CUT])
async def test_a_malformed_answer_is_waited_out(altered: tuple[Episodes, AlteringProxy], name: str) -> None:
    episodes, proxy = altered
    play = await begin(episodes)
    proxy.answer = {**MALFORMED, **CUT}[name]

    told = await refused(play, "shop_place_order", item="lamp")
    proxy.answer = None
    reply = await play.call("shop_place_order", item="lamp")

    assert (told.status, told.code, told.retryable) == WAITED_FOR
    assert (reply.reward, reply.observation["error"]) == (0.9, None)
    assert await orders(play) == ["lamp"]


@pytest.mark.proof
@pytest.mark.parametrize("name", [*MALFORMED, *CUT][:: size(6, 1)])
async def test_a_call_whose_answer_stays_malformed_is_refused_when_it_is_sent_again(
    altered: tuple[Episodes, AlteringProxy], name: str
) -> None:
    episodes, proxy = altered
    play = await begin(episodes)
    proxy.answer = {**MALFORMED, **CUT}[name]

    told = await refused(play, "shop_place_order", item="lamp")
    reply = await play.call("shop_place_order", item="lamp")
    proxy.answer = None

    assert (told.status, told.code, told.retryable) == WAITED_FOR
    assert reply.observation["error"]["code"] == "service_error"
    assert (reply.reward, reply.metadata["invalid"]) == (-0.1, False)
    assert reply.metadata["defects"][0]["service"] == "shop"
    assert await orders(play) == []


@pytest.mark.proof
@pytest.mark.parametrize("name", [*MALFORMED][:: size(6, 1)])
async def test_a_malformed_answer_to_due_work_is_waited_out(
    altered: tuple[Episodes, AlteringProxy], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    episodes, proxy = altered
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    monkeypatch.setattr(proxy, "at", "/admin/tick")
    proxy.answer = MALFORMED[name]

    told = await refused(play, "wait", seconds=3600)
    proxy.answer = None
    reply = await play.call("wait", seconds=3600)

    assert (told.status, told.code, told.retryable) == WAITED_FOR
    assert reply.reward == 1.9


#: Objects of another shape than the admin routes of a service answer with.
ODD = {
    "no members": {},
    "a due instant that is text": {"layer": 1, "next_due": "soon"},
    "tools of another shape": {"service": "shop", "tools": [5]},
}


async def refused_reset(episodes: Episodes, seed: int = 0) -> Refusal:
    with pytest.raises(Refusal) as caught:
        await begin(episodes, seed=seed)
    return caught.value


@pytest.mark.parametrize("name", ODD)
async def test_a_base_whose_state_is_malformed_is_loaded_by_the_next_reset(
    altered: tuple[Episodes, AlteringProxy], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    episodes, proxy = altered
    seed = 7_000 + [*ODD].index(name)
    monkeypatch.setattr(proxy, "at", "/admin/bases")
    proxy.answer = response(orjson.dumps(ODD[name]), kind="application/json")

    told = await refused_reset(episodes, seed)
    proxy.answer = None
    play = await begin(episodes, seed=seed)

    assert (told.status, told.code, told.retryable) == WAITED_FOR
    assert play.last.observation["error"] is None


@pytest.mark.parametrize("name", ODD)
async def test_a_malformed_manifest_is_asked_for_again(toy_stack: ToyStack, name: str) -> None:
    proxy = AlteringProxy(toy_stack.services["shop"])
    proxy.at, proxy.answer = "/admin/manifest", response(orjson.dumps(ODD[name]), kind="application/json")
    async with (
        listening(proxy.carry) as url,
        toy_stack.orchestrator(services={**toy_stack.services, "shop": url}, call_s=2.0) as episodes,
        asyncio.timeout(PATIENCE_S),
    ):
        # The background asks alone; a reset asks as well.
        while proxy.answered < 2:
            await asyncio.sleep(0.02)
        told = await refused_reset(episodes)
        proxy.answer = None
        play = await begin(episodes)

    assert (told.status, told.code, told.retryable) == WAITED_FOR
    assert play.last.observation["error"] is None


@pytest.mark.parametrize(
    "tables", [5, {"orders": []}, {"orders": {"ORD-0001": 5}}], ids=["tables", "rows", "row"]
)
async def test_a_malformed_difference_is_an_outage(
    altered: tuple[Episodes, AlteringProxy], monkeypatch: pytest.MonkeyPatch, tables: object
) -> None:
    episodes, proxy = altered
    monkeypatch.setattr(proxy, "at", "/admin/layers")
    proxy.answer = response(orjson.dumps({"tables": tables}), kind="application/json")
    nowhere = Context(world=1, chain=(-1, 1), now=0, actor="ann", role="clerk", cause="s1", key="s1")

    with pytest.raises(ServiceFailed, match="malformed 'tables"):
        await episodes._components.gateway.difference("shop", nowhere)
    proxy.answer = None


async def test_an_answer_after_an_interim_response_is_an_answer(
    altered: tuple[Episodes, AlteringProxy],
) -> None:
    episodes, proxy = altered
    play = await begin(episodes)
    proxy.answer = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" + result()

    reply = await play.call("shop_place_order", item="lamp")
    proxy.answer = None

    assert reply.observation["result"] == ORDER


async def test_bytes_after_an_answer_are_not_the_next_answer(altered: tuple[Episodes, AlteringProxy]) -> None:
    episodes, proxy = altered
    play = await begin(episodes)
    proxy.answer = result() + result({**ORDER, "item": "intruder"})

    await play.call("shop_place_order", item="lamp")
    proxy.answer = None
    listed = await play.call("shop_list_orders")

    assert "intruder" not in str(listed.observation)


async def test_an_answer_without_an_end_is_cut(
    altered: tuple[Episodes, AlteringProxy], monkeypatch: pytest.MonkeyPatch
) -> None:
    episodes, proxy = altered
    monkeypatch.setattr("orchestrator.services.connections.MOST_BYTES", 10_000)
    play = await begin(episodes)
    proxy.answer = result({**ORDER, "note": "x" * 20_000})

    async with asyncio.timeout(PATIENCE_S):
        told = await refused(play, "shop_place_order", item="lamp")
    proxy.answer = None

    assert (told.status, told.code, told.retryable) == WAITED_FOR
