"""What is sent again: a step under its number has the same bytes, and a reset under its key the same episode."""

from __future__ import annotations

from typing import Any

import httpx
import orjson
import pytest

from .trainer_calls import Socket, socket_to, started

ACTIONS: list[dict[str, Any]] = [
    {"type": "list_tools"},
    {"tool_name": "ticketdesk_list_tickets", "arguments": {"limit": 3}},
    {"tool_name": "datahub_list_people", "arguments": {}},
    {"tool_name": "ticketdesk_get_ticket", "arguments": {"ticket_id": "TD-0"}},
    {"tool_name": "no_such_tool", "arguments": {"b": 1, "a": [2]}},
    {"tool_name": "wait", "arguments": {"seconds": 600}},
    {"tool_name": "finish", "arguments": {}},
]


async def played(http: httpx.AsyncClient, episode_id: str) -> list[bytes]:
    answers = []
    for number, action in enumerate(ACTIONS, start=1):
        answer = await http.post("/step", json={"episode_id": episode_id, "action": action, "step": number})
        assert answer.status_code == 200, answer.text
        answers.append(answer.content)
    return answers


@pytest.mark.parametrize("chaos", [0, 3])
@pytest.mark.parametrize("reward_mode", ["dense", "outcome"])
async def test_every_repeated_step_is_answered_with_the_same_bytes(
    http: httpx.AsyncClient, chaos: int, reward_mode: str
) -> None:
    episode_id = await started(http, seed=11, chaos=chaos, reward_mode=reward_mode)
    first = await played(http, episode_id)

    assert await played(http, episode_id) == first


async def test_a_socket_repeats_a_step_with_the_same_bytes(url: str) -> None:
    async with socket_to(url) as socket:
        await socket.ask({"type": "reset", "data": {"seed": 11}})
        step = {"type": "step", "data": {**ACTIONS[1], "metadata": {"step": 1}}}
        first = await raw(socket, step)

        assert await raw(socket, step) == first


async def raw(socket: Socket, message: Any) -> str | bytes:
    await socket.say(orjson.dumps(message).decode())
    return await socket.connection.recv()
