"""OpenEnv's observer surface: the steps of an episode as they are committed, for who may read them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosedOK, InvalidStatus

from tests.patience import PATIENCE_S

from .trainer_calls import LOOK, Socket, socket_to, started, stepped

FINISH = {"type": "call_tool", "tool_name": "finish", "arguments": {}}


async def heard(socket: Socket) -> list[dict[str, Any]]:
    """Return all that is still sent, up to a normal closure."""
    messages = []
    with pytest.raises(ConnectionClosedOK):
        while True:
            messages.append(await asyncio.wait_for(socket.hear(), PATIENCE_S))
    return messages


async def trace_of(http: httpx.AsyncClient, episode_id: str) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = (await http.get(f"/episodes/{episode_id}/trace")).json()
    return records


async def test_an_observer_hears_each_step_as_the_trace_has_it(url: str, http: httpx.AsyncClient) -> None:
    episode_id = await started(http, seed=5, chaos=3)
    await stepped(http, episode_id)

    async with socket_to(url, f"/observe?episode_id={episode_id}") as observer:
        first = await observer.hear()
        await stepped(http, episode_id)
        second = await observer.hear()
        await stepped(http, episode_id, FINISH)
        [last] = await heard(observer)

    records = await trace_of(http, episode_id)
    assert [first, second, last] == records[1:]
    assert {"events", "faults", "reward"} <= last.keys()
    assert last["done"] is True


async def test_an_observer_goes_on_after_the_step_that_it_saw_last(url: str, http: httpx.AsyncClient) -> None:
    episode_id = await started(http, seed=5)
    for action in (LOOK, LOOK, FINISH):
        await stepped(http, episode_id, action)

    async with socket_to(url, f"/observe?episode_id={episode_id}&after=1") as observer:
        steps = [record["step"] for record in await heard(observer)]

    assert steps == [2, 3]


async def test_an_observer_plays_nothing(url: str, http: httpx.AsyncClient) -> None:
    episode_id = await started(http, seed=5)

    async with socket_to(url, f"/observe?episode_id={episode_id}") as observer:
        await observer.say(json.dumps({"type": "step", "data": LOOK}))
        await stepped(http, episode_id, FINISH)
        steps = [record["step"] for record in await heard(observer)]

    assert steps == [1]


async def test_a_deleted_episode_ends_what_its_observer_hears(url: str, http: httpx.AsyncClient) -> None:
    episode_id = await started(http, seed=5)

    async with socket_to(url, f"/observe?episode_id={episode_id}") as observer:
        await http.delete(f"/episodes/{episode_id}")

        assert await heard(observer) == []


async def test_a_restored_episode_is_heard_from_its_step_on(url: str, http: httpx.AsyncClient) -> None:
    episode_id = await started(http, seed=5)
    snapshot = (await http.post(f"/episodes/{episode_id}/snapshots", json={})).json()["snapshot_id"]
    await stepped(http, episode_id)

    async with socket_to(url, f"/observe?episode_id={episode_id}") as observer:
        first = await observer.hear()
        restored = await http.post(f"/episodes/{episode_id}/restore", json={"snapshot_id": snapshot})
        assert restored.status_code == 200, restored.text
        await stepped(http, episode_id, FINISH)
        [again] = await heard(observer)

    assert (first["step"], again["step"]) == (1, 1)
    assert (first["done"], again["done"]) == (False, True)


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("episode_id=nobody", 404, "episode_unknown"),
        ("", 422, "invalid_request"),
        ("episode_id=x&after=-1", 422, "invalid_request"),
        ("episode_id=x&from=1", 422, "invalid_request"),
    ],
)
async def test_an_observer_of_nothing_is_refused_with_a_problem(
    url: str, query: str, status: int, code: str
) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        async with socket_to(url, f"/observe?{query}"):
            pass

    response = refusal.value.response
    assert (response.status_code, json.loads(response.body or b"")["type"]) == (status, code)
