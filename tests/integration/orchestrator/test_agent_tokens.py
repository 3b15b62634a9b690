"""An agent's token opens its own episode, on every replica and for as long as that lasts, and nothing else."""

from __future__ import annotations

from base64 import urlsafe_b64decode

import pytest

from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions
from orchestrator.protocol.agent_tokens import PREFIX

from .agent_client import LAMP, agent_of, begun, code_of, id_of, rpc, token_of
from .toy_stack import ToyStack

INVALID, EXPIRED = (401, "agent_token_invalid"), (401, "agent_token_expired")


async def test_a_reset_tells_the_agents_token_and_where_to_take_it(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    reply = await begun(episodes)

    assert len(urlsafe_b64decode(token_of(reply).removeprefix(PREFIX) + "=")) == 32
    assert reply.metadata["agent_urls"] == {
        "rest": "http://127.0.0.1:8080",
        "mcp": "http://127.0.0.1:8080/mcp",
        "task": "http://127.0.0.1:8080/task",
        "tools": "http://127.0.0.1:8080/tools",
        "web": "http://127.0.0.1:8080/web/",
    }
    async with toy_stack.orchestrator(agent_url="https://agents.example/co/") as published:
        urls = (await begun(published)).metadata["agent_urls"]
    assert (urls["rest"], urls["mcp"]) == ("https://agents.example/co", "https://agents.example/co/mcp")


async def test_only_the_digest_of_a_token_is_stored(toy_stack: ToyStack, episodes: Episodes) -> None:
    reply = await begun(episodes)

    [[row]] = toy_stack.rows("SELECT e::text FROM orchestrator.episodes e WHERE id = %s", id_of(reply))

    assert token_of(reply) not in row
    assert token_of(reply).removeprefix(PREFIX) not in row


async def test_a_token_is_no_part_of_the_trace(episodes: Episodes) -> None:
    one, other = await begun(episodes, seed=4), await begun(episodes, seed=4)

    assert one.metadata["trace_hash"] == other.metadata["trace_hash"]
    assert token_of(one) not in str(await episodes.trace(id_of(one)))


async def test_every_replica_accepts_the_token(toy_stack: ToyStack, episodes: Episodes) -> None:
    token = token_of(await begun(episodes))

    async with toy_stack.orchestrator() as other, agent_of(other, token) as agent:
        placed = await agent.post("/shop/orders", json=LAMP)
    async with agent_of(episodes, token) as agent:
        listed = await agent.get("/shop/orders")

    assert placed.status_code == 201
    assert listed.json()["items"][-1]["item"] == "lamp"


@pytest.mark.parametrize("token", [None, "", "cosagent_", "cosagent_" + "A" * 43, "é", "a b", "%00"])
async def test_a_token_that_nobody_was_given_opens_nothing(episodes: Episodes, token: str | None) -> None:
    headers = {} if token is None else {"Authorization": f"Bearer {token}".encode()}
    async with agent_of(episodes, None) as agent:
        agent.headers.update(headers)
        assert await code_of(agent) == INVALID
        assert await code_of(agent, "GET", "/tools") == INVALID
        assert await code_of(agent, "POST", "/wait") == INVALID
        assert await code_of(agent, "POST", "/mcp") == INVALID
        assert await code_of(agent, "DELETE", "/mcp") == INVALID
        assert await code_of(agent, "GET", "/shop/orders") == INVALID
        assert await code_of(agent, "GET", "/nowhere") == INVALID
        assert (await agent.get("/health")).json() == {"status": "healthy"}


async def test_a_token_is_good_for_its_own_episode_only(episodes: Episodes) -> None:
    one, other = await begun(episodes), await begun(episodes)

    async with agent_of(episodes, token_of(one)) as agent:
        await agent.post("/shop/orders", json=LAMP)

    assert (await episodes.state(id_of(one)))["step_count"] == 1
    assert (await episodes.state(id_of(other)))["step_count"] == 0


async def test_a_token_dies_with_its_episode(episodes: Episodes) -> None:
    finished, closed = await begun(episodes), await begun(episodes)

    async with agent_of(episodes, token_of(finished)) as agent:
        assert (await agent.post("/finish", json={})).json() == {"ended": True}
        for method, path in (("GET", "/task"), ("GET", "/tools"), ("POST", "/wait"), ("GET", "/shop/orders")):
            assert await code_of(agent, method, path) == EXPIRED
        initialized = await agent.post(
            "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
        )
        assert (initialized.status_code, initialized.json()["type"]) == EXPIRED
    async with agent_of(episodes, token_of(closed)) as agent:
        assert (await agent.get("/shop/orders")).status_code == 200
        await episodes.close(id_of(closed))
        assert await code_of(agent, "GET", "/shop/orders") == INVALID
        assert await code_of(agent) == INVALID
    assert (await episodes.state(id_of(finished)))["step_count"] == 1


async def test_a_token_that_a_trainer_ended_is_dead_where_it_was_known(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    reply = await begun(episodes)

    async with agent_of(episodes, token_of(reply)) as agent:
        await agent.get("/shop/orders")
        async with toy_stack.orchestrator() as other:
            await other.step(id_of(reply), {"tool_name": "finish"})
        assert await code_of(agent, "GET", "/shop/orders") == EXPIRED


async def test_a_conversation_over_mcp_may_go_on_after_the_end_and_changes_nothing(
    episodes: Episodes,
) -> None:
    reply = await begun(episodes)

    async with agent_of(episodes, token_of(reply)) as agent:
        ended = await rpc(agent, "tools/call", name="finish", arguments={})
        after = await rpc(agent, "tools/call", name="shop_place_order", arguments=LAMP)
        listed = await rpc(agent, "tools/list")

    assert ended["result"]["_meta"]["companyos/standing"]["done"] is True
    assert after["result"]["isError"] is True
    assert after["result"]["structuredContent"]["error"]["code"] == "agent_token_expired"
    assert listed["result"]["tools"]
    assert (await episodes.state(id_of(reply)))["step_count"] == 1


async def test_a_conversation_over_mcp_can_be_ended_after_the_end_and_opens_nothing(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    reply = await begun(episodes)

    async with agent_of(episodes, token_of(reply)) as agent:
        await rpc(agent, "tools/call", name="finish", arguments={})
        ended = [await agent.delete("/mcp") for _ in range(2)]
        async with toy_stack.orchestrator() as other, agent_of(other, token_of(reply)) as elsewhere:
            ended.append(await elsewhere.delete("/mcp"))
        assert await code_of(agent) == EXPIRED
        assert await code_of(agent, "POST", "/wait") == EXPIRED
        await episodes.close(id_of(reply))
        assert await code_of(agent, "DELETE", "/mcp") == INVALID

    assert {(answer.status_code, answer.content) for answer in ended} == {(204, b"")}


@pytest.mark.parametrize("known", [True, False])
async def test_a_name_that_is_taken_again_has_another_token(episodes: Episodes, *, known: bool) -> None:
    before = await begun(episodes, episode_id=f"taken-{known}")
    async with agent_of(episodes, token_of(before)) as agent:
        if known:
            await agent.get("/shop/orders")
        after = await begun(episodes, episode_id=f"taken-{known}", replace=True)

        assert await code_of(agent, "GET", "/shop/orders") == INVALID
        assert await code_of(agent) == INVALID
        answer = await agent.post(
            "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait"}}
        )
        assert (answer.status_code, answer.json()["type"]) == INVALID
    async with agent_of(episodes, token_of(after)) as agent:
        assert (await agent.get("/shop/orders")).status_code == 200
    assert (await episodes.state(id_of(after)))["step_count"] == 1


async def test_each_fork_has_a_token_of_its_own(episodes: Episodes) -> None:
    reply = await begun(episodes)

    one, other = await episodes.branches.fork(id_of(reply), 2)
    async with agent_of(episodes, one["agent_token"]) as agent:
        await agent.post("/shop/orders", json=LAMP)

    assert len({token_of(reply), one["agent_token"], other["agent_token"]}) == 3
    steps = [(await episodes.state(name))["step_count"] for name in (id_of(reply), one["episode_id"])]
    assert steps == [0, 1]
    assert (await episodes.state(other["episode_id"]))["step_count"] == 0
    assert one["agent_urls"] == reply.metadata["agent_urls"]


async def test_a_reset_from_a_snapshot_has_a_token_of_its_own(episodes: Episodes) -> None:
    reply = await begun(episodes)
    taken = await episodes.branches.snapshot(id_of(reply))

    branch = await episodes.reset(ResetOptions(snapshot=taken["snapshot_id"]))
    async with agent_of(episodes, token_of(branch)) as agent:
        await agent.post("/shop/orders", json=LAMP)

    assert (await episodes.state(id_of(reply)))["step_count"] == 0
    assert (await episodes.state(id_of(branch)))["step_count"] == 1


async def test_a_restored_episode_goes_on_under_its_token(episodes: Episodes) -> None:
    reply = await begun(episodes)
    taken = await episodes.branches.snapshot(id_of(reply))

    async with agent_of(episodes, token_of(reply)) as agent:
        await agent.post("/finish", json={})
        assert await code_of(agent) == EXPIRED
        await episodes.branches.restore(id_of(reply), taken["snapshot_id"])
        assert (await agent.get("/task")).json()["step"] == 0
        assert (await agent.get("/shop/orders")).status_code == 200


async def test_an_episode_from_before_there_were_tokens_opens_to_none(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    reply = await begun(episodes)
    await toy_stack.write(
        "UPDATE orchestrator.episodes SET agent = NULL WHERE id = %s RETURNING 1", id_of(reply)
    )

    async with agent_of(episodes, token_of(reply)) as agent:
        assert await code_of(agent) == INVALID
    with pytest.raises(Refusal) as caught:
        await episodes.agents.step("", {"tool_name": "wait", "arguments": {"seconds": 60}})
    assert (caught.value.status, caught.value.code) == INVALID
    assert (await episodes.step(id_of(reply), {"tool_name": "shop_list_orders"})).observation["step"] == 1
