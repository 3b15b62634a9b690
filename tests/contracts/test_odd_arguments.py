"""Arguments at the edges of JSON: a refused step or a clear 4xx over every way to call, and never an open step."""

from __future__ import annotations

import json

import httpx
import pytest

from .agent_calls import AgentSide, agent_in
from .trainer_calls import LOOK, socket_to, started, stepped

TOOL = "ticketdesk_add_comment"
DEEP = 10_000
#: Values of a text argument, as they are sent.
ODD = {
    "U+0000": r'"a\u0000b"',
    "a lone surrogate": r'"\ud800"',
    "surrogates in the wrong order": r'"\udc00\ud800"',
    "the last character": r'"\udbff\udfff"',
    "4,300 digits": "1" + "0" * 4300,
    "4,300 digits behind the point": "0." + "0" * 4300 + "1",
    "a huge exponent": "1e4300",
    "NaN": "NaN",
    "Infinity": "Infinity",
    "minus infinity": "-Infinity",
    "lists in lists": "[" * DEEP + "]" * DEEP,
    "objects in objects": '{"a":' * DEEP + "1" + "}" * DEEP,
    "forty levels": "[" * 40 + "]" * 40,
    "200,000 characters": json.dumps("x" * 200_000),
    "200,000 characters beyond ASCII": json.dumps("\U0001f600" * 16_000),
    "300,000 characters": json.dumps("x" * 300_000),
    "30,000 values": json.dumps([0] * 30_000),
    "null": "null",
    "true": "true",
    "a number": "-0.0",
    "an object": '{"": {"__proto__": [null]}}',
    "control characters": r'"\u0001\u001b[31m\u007f\u0085\u2028\ufffe\uffff"',
    "a key twice": '"first", "text": "second"',
    "two keys of one name": '"first", "TEXT": "second", "te\\u0078t": 3',
    "bytes that are no UTF-8": '"\udcff\udcfe"',
    "half a value": '"half',
}


def arguments(value: str) -> str:
    return f'{{"ticket_id": "TD-1001", "text": {value}}}'


def raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


async def steps_of(http: httpx.AsyncClient, episode_id: str) -> int:
    return int((await http.get(f"/episodes/{episode_id}")).json()["step_count"])


@pytest.mark.parametrize("name", ODD)
async def test_a_step_with_an_odd_argument_is_refused_or_counted(http: httpx.AsyncClient, name: str) -> None:
    episode_id = await started(http, chaos=0)
    action = f'{{"tool_name": "{TOOL}", "arguments": {arguments(ODD[name])}}}'
    sent = raw(f'{{"episode_id": "{episode_id}", "action": {action}}}')

    answer = await http.post("/step", content=sent, headers={"content-type": "application/json"})
    taken = await steps_of(http, episode_id)
    after = await stepped(http, episode_id)

    assert answer.status_code < 500, answer.text
    assert taken == (answer.status_code == 200)
    assert (after.status_code, after.json()["observation"]["step"]) == (200, taken + 1)


@pytest.mark.parametrize("name", ODD)
def test_an_agent_with_an_odd_argument_is_refused_or_answered(url: str, name: str) -> None:
    params = f'{{"name": "{TOOL}", "arguments": {arguments(ODD[name])}}}'
    call = f'{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}'
    with agent_in(url, chaos=0) as agent:
        told = [
            posted(agent, "/ticketdesk/tickets/TD-1001/comments", f'{{"text": {ODD[name]}}}'),
            posted(agent, "/mcp", call),
            posted(agent, "/finish", f'{{"answer": {ODD[name]}, "note": 1}}'),
        ]
        after = agent.by_mcp(LOOK)

    assert all(answer.status_code < 500 for answer in told), [answer.text for answer in told]
    assert not after["isError"]


def posted(agent: AgentSide, path: str, text: str) -> httpx.Response:
    return agent.http.post(path, content=raw(text), headers={"content-type": "application/json"})


async def test_a_socket_survives_odd_arguments(url: str) -> None:
    async with socket_to(url) as socket:
        await socket.ask({"type": "reset", "data": {"chaos": 0}})
        for name, value in ODD.items():
            if not value.isprintable() or "\udcff" in value:
                continue
            text = f'{{"type": "step", "data": {{"tool_name": "{TOOL}", "arguments": {arguments(value)}}}}}'
            answer = await socket.ask(text)
            assert answer["type"] in ("observation", "error"), name
            assert answer["data"].get("status", 422) < 500, (name, answer)
        after = await socket.ask({"type": "step", "data": LOOK})

    assert after["type"] == "observation"
