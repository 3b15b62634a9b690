"""The task over MCP, for clients that do not show a server's instructions: a prompt, a resource and a free tool."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.episodes.facade import Episodes

from .agent_client import LAMP, agent_of, begun, id_of, rpc, token_of
from .test_agent_mcp import META, modern, request, sent


async def test_reading_the_task_in_every_way_is_no_step(episodes: Episodes) -> None:
    reply, unread = await begun(episodes), await begun(episodes)
    before = await episodes.state(id_of(reply))

    async with agent_of(episodes, token_of(reply)) as agent, agent_of(episodes, token_of(unread)) as other:
        prompts = (await rpc(agent, "prompts/list"))["result"]["prompts"]
        prompt = (await rpc(agent, "prompts/get", name=prompts[0]["name"]))["result"]["messages"]
        resources = (await rpc(agent, "resources/list"))["result"]["resources"]
        read = (await rpc(agent, "resources/read", uri=resources[0]["uri"]))["result"]["contents"]
        templates = (await rpc(agent, "resources/templates/list"))["result"]["resourceTemplates"]
        told = (await rpc(agent, "tools/call", name="get_task", arguments={}))["result"]
        after = await episodes.state(id_of(reply))
        steps = [
            await rpc(each, "tools/call", name="shop_place_order", arguments=LAMP) for each in (agent, other)
        ]

    task = reply.observation["text"]
    assert [message["content"]["text"] for message in prompt] == [task]
    assert [content["text"] for content in read] == [task]
    assert (told["content"][0]["text"], told["structuredContent"], told["isError"]) == (
        task,
        {"task": task},
        False,
    )
    assert templates == []
    assert after["step_count"] == before["step_count"] == 0
    assert steps[0]["result"] == steps[1]["result"]


async def test_the_task_cannot_be_read_after_the_end(episodes: Episodes) -> None:
    reply = await begun(episodes)

    async with agent_of(episodes, token_of(reply)) as agent:
        await rpc(agent, "tools/call", name="finish", arguments={})
        told = (await rpc(agent, "tools/call", name="get_task", arguments={}))["result"]

    assert told["isError"] is True
    assert told["structuredContent"]["error"]["code"] == "agent_token_expired"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("prompts/get", {"name": "other"}),
        ("prompts/get", {}),
        ("resources/read", {"uri": "companyos://grade"}),
        ("resources/read", {"uri": 1}),
        ("prompts/list", {"cursor": "x"}),
        ("resources/list", {"cursor": "x"}),
    ],
)
async def test_there_is_one_prompt_and_one_resource(
    episodes: Episodes, method: str, params: dict[str, Any]
) -> None:
    async with agent_of(episodes, token_of(await begun(episodes))) as agent:
        assert (await rpc(agent, method, **params))["error"]["code"] == -32602


@pytest.mark.parametrize("method", ["prompts/get", "resources/read", "prompts/list", "tools/call"])
async def test_a_made_up_token_reads_no_task(episodes: Episodes, method: str) -> None:
    message = request(method, name="get_task" if method == "tools/call" else "task", uri="companyos://task")

    async with agent_of(episodes, f"cosagent_{'A' * 43}") as stranger:
        assert (await sent(stranger, message)).status_code == 401


@pytest.mark.parametrize(
    ("method", "params", "named"),
    [
        ("prompts/get", {"name": "task"}, "task"),
        ("resources/read", {"uri": "companyos://task"}, "companyos://task"),
    ],
)
async def test_a_request_without_a_handshake_repeats_what_it_reads_in_a_header(
    episodes: Episodes, method: str, params: dict[str, Any], named: str
) -> None:
    message = request(method, **params, _meta=META)

    async with agent_of(episodes, token_of(await begun(episodes))) as agent:
        told = await sent(agent, message, **modern(method, name=named))
        refused = await sent(agent, message, **modern(method, name="other"))

    assert told.json()["result"]["resultType"] == "complete"
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32020)
