"""Nothing that an agent may say, and nobody without the trainer's token, reaches the chaos of an episode."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.contracts.trainer_calls import Socket, socket_to
from tests.patience import PATIENCE_S

from .compose import Stack
from .conftest import TOKEN

TRAINER = {"Authorization": f"Bearer {TOKEN}"}
STRANGERS: dict[str, dict[str, str]] = {
    "nobody": {},
    "another token": {"Authorization": f"Bearer {TOKEN}x"},
    "another scheme": {"Authorization": f"Basic {TOKEN}"},
    "another header": {"X-Trainer-Token": TOKEN, "Cookie": f"token={TOKEN}"},
}
NAMES = (
    "chaos",
    "set_chaos",
    "orchestrator_set_chaos",
    "PUT /episodes/{episode_id}/chaos",
    "ticketdesk_faults",
    "ticketdesk_../admin/faults",
)
LOOK = "ticketdesk_list_tickets"
ADDRESSES = ("http://ticketdesk:8001", "http://datahub:8002", "http://approvalflow:8003")
FAULTS_OF = """
import urllib.error, urllib.request as web
for headers in ({{}}, {{"Authorization": "Bearer {token}"}}):
    try:
        web.urlopen(web.Request("{address}/admin/faults", b"{{}}", headers, method="PUT"))
    except urllib.error.HTTPError as refused:
        print(refused.code)
"""

every_name = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
async def trainer(guarded: Stack) -> AsyncIterator[httpx.AsyncClient]:
    """A trainer with the token."""
    async with httpx.AsyncClient(base_url=guarded.url, headers=TRAINER, timeout=PATIENCE_S) as client:
        yield client


@pytest.fixture
async def agent(guarded: Stack) -> AsyncIterator[Socket]:
    """A socket in an episode of chaos, over which a trainer passes on whatever an agent says."""
    async with socket_to(guarded.url, additional_headers=TRAINER) as socket:
        yield socket


async def begun(agent: Socket) -> str:
    """Start an episode of chaos and return its id."""
    turn = await agent.ask({"type": "reset", "data": {"seed": 2, "chaos": "bad-day"}})
    return str(turn["data"]["metadata"]["episode_id"])


async def chaos_of(trainer: httpx.AsyncClient, episode_id: str) -> list[Any]:
    """Return the name of an episode's chaos, and every other one that was put in force in it."""
    start, *steps = (await trainer.get(f"/episodes/{episode_id}/trace")).json()
    put = [record["chaos"] for record in steps if "chaos" in record]
    return [start["chaos"]["name"], *put, *filter(None, [start["chaos_now"]])]


def spellings(name: str) -> list[dict[str, Any]]:
    """Return the actions that an agent may spell this name as."""
    app, _, method = name.partition("_")
    return [
        {"tool_name": name, "arguments": {"chaos": "calm"}},
        {"app": "orchestrator", "method": name, "params": {"chaos": "calm"}},
        {"app": app, "method": method or "set", "params": {}},
    ]


def rpc(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_callers_without_the_token_cannot_set_chaos(
    guarded: Stack, agent: Socket, trainer: httpx.AsyncClient, stranger: str
) -> None:
    episode_id = await begun(agent)
    path, headers = f"/episodes/{episode_id}/chaos", STRANGERS[stranger]

    async with httpx.AsyncClient(base_url=guarded.url, headers=headers) as client:
        answers = [await client.put(path, json=0), await client.put(path, params={"token": TOKEN}, json=0)]

    assert [answer.status_code for answer in answers] == [401, 401]
    assert await chaos_of(trainer, episode_id) == ["bad-day"]


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("path", ["/ws", "/mcp"])
async def test_websocket_without_the_token_is_refused(guarded: Stack, path: str, stranger: str) -> None:
    url = guarded.url.replace("http", "ws", 1) + path

    with pytest.raises(InvalidStatus) as refused:
        await connect(url, proxy=None, additional_headers=STRANGERS[stranger])

    assert refused.value.response.status_code in (401, 403)


@every_name
async def test_actions_cannot_set_chaos(agent: Socket, trainer: httpx.AsyncClient, name: str) -> None:
    episode_id = await begun(agent)
    name = name.format(episode_id=episode_id)

    for action in spellings(name):
        by_socket = await agent.ask({"type": "step", "data": action})
        by_http = (await trainer.post("/step", json={"episode_id": episode_id, "action": action})).json()
        codes = [turn["observation"]["error"]["code"] for turn in (by_socket["data"], by_http)]
        assert codes == ["tool_not_found", "tool_not_found"]

    assert await chaos_of(trainer, episode_id) == ["bad-day"]


@every_name
async def test_mcp_tool_calls_cannot_set_chaos(agent: Socket, trainer: httpx.AsyncClient, name: str) -> None:
    episode_id = await begun(agent)
    name = name.format(episode_id=episode_id)
    session = await agent.ask({"type": "mcp", "data": rpc("openenv/session/create")})
    call = rpc("tools/call", name=name, arguments={"chaos": "calm"})
    named = rpc("tools/call", **call["params"], session_id=session["data"]["result"]["session_id"])

    by_socket = (await agent.ask({"type": "mcp", "data": call}))["data"]
    by_http = (await trainer.post("/mcp", json=named)).json()

    codes = [answer["result"]["data"]["error"]["code"] for answer in (by_socket, by_http)]
    assert codes == ["tool_not_found", "tool_not_found"]
    assert await chaos_of(trainer, episode_id) == ["bad-day"]


@every_name
async def test_jsonrpc_methods_and_websocket_messages_cannot_set_chaos(
    agent: Socket, trainer: httpx.AsyncClient, name: str
) -> None:
    episode_id = await begun(agent)
    name = name.format(episode_id=episode_id)

    message = await agent.ask({"type": name, "data": {"chaos": "calm"}})
    by_socket = await agent.ask({"type": "mcp", "data": rpc(name, chaos="calm")})
    by_http = (await trainer.post("/mcp", json=rpc(name, chaos="calm"))).json()

    assert message["data"]["code"] == "UNKNOWN_TYPE"
    assert [answer["error"]["code"] for answer in (by_socket["data"], by_http)] == [-32601, -32601]
    assert await chaos_of(trainer, episode_id) == ["bad-day"]


async def test_chaos_beside_a_tool_is_refused_or_not_heard(agent: Socket, trainer: httpx.AsyncClient) -> None:
    episode_id = await begun(agent)
    look: dict[str, Any] = {"tool_name": LOOK, "arguments": {}}
    actions = [
        {**look, "chaos": "calm"},
        {**look, "arguments": {"chaos": "calm"}},
        {**look, "metadata": {"chaos": "calm"}},
    ]

    turns = [(await agent.ask({"type": "step", "data": action}))["data"] for action in actions]
    beside = await trainer.post("/step", json={"episode_id": episode_id, "action": look, "chaos": "calm"})

    assert turns[0]["observation"]["error"]["error_type"] == "invalid_args"
    assert turns[1]["observation"]["error"]["code"] == "invalid_arguments"
    assert turns[2]["metadata"]["chaos_name"] == "bad-day"
    assert beside.status_code == 422
    assert await chaos_of(trainer, episode_id) == ["bad-day"]


@pytest.mark.parametrize("path", ["/admin/faults", "/ticketdesk/admin/faults", "/step/../admin/faults"])
async def test_the_trainer_api_has_no_way_to_what_services_are_told_of_faults(
    trainer: httpx.AsyncClient, path: str
) -> None:
    answers = [await trainer.request(method, path, json={}) for method in ("GET", "PUT", "POST")]

    assert {answer.status_code for answer in answers} == {404}


@pytest.mark.parametrize("address", ADDRESSES)
def test_services_are_told_of_faults_under_the_admin_token_only(guarded: Stack, address: str) -> None:
    tried = guarded.python("orchestrator", FAULTS_OF.format(address=address, token=TOKEN))

    assert tried.stdout.split() == ["401", "401"]
