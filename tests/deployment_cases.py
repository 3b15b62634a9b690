"""What holds on every deployment of the stack: the same queues, addresses, errors and tokens, told from outside only.

A test module of a deployment defines the fixture `deployment` and imports these tests.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.patience import PATIENCE_S

SCENARIO = "vendor_onboarding"
AT_ONCE = 16
ROUNDS = 4
#: Far more than a process plays at once.
BURST = 150
TICKETS = "/ticketdesk/tickets?limit=1"


@dataclass(frozen=True)
class Deployment:
    """A running stack.

    Attributes:
        url: The trainer API.
        agent_url: Where the agent API is published, if the stack cannot know.
        headers: What a trainer sends with every request.
    """

    url: str
    agent_url: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def published(self, url: str) -> str:
        """Return the address at which one that a reset told is reached."""
        return url if self.agent_url is None else self.agent_url + urlsplit(url).path

    def agent(self, reset: dict[str, Any]) -> httpx.AsyncClient:
        """Return a client of the agent API, at the address and with the token that a reset told."""
        told = reset["metadata"]
        return httpx.AsyncClient(
            base_url=self.published(told["agent_urls"]["rest"]),
            headers={"Authorization": f"Bearer {told['agent_token']}"},
            timeout=PATIENCE_S,
            trust_env=False,
            limits=_UNLIMITED,
        )

    def trainer(self) -> httpx.AsyncClient:
        """Return a trainer's client, with a connection for every request in flight."""
        return httpx.AsyncClient(
            base_url=self.url, headers=self.headers, timeout=PATIENCE_S, trust_env=False, limits=_UNLIMITED
        )


_UNLIMITED = httpx.Limits(max_connections=None)


async def begun(trainer: httpx.AsyncClient, **options: Any) -> dict[str, Any]:
    """Begin an episode and return the answer to its reset."""
    answer = await trainer.post("/reset", json={"scenario": SCENARIO, "chaos": 0, **options})
    reset: dict[str, Any] = answer.raise_for_status().json()
    return reset


@pytest.mark.parametrize("kind", ["reads", "waits", "both"])
async def test_parallel_calls_of_one_agent_are_all_answered_one_after_another(
    deployment: Deployment, kind: str
) -> None:
    async with deployment.trainer() as trainer:
        reset = await begun(trainer, seed=3, max_steps=AT_ONCE * ROUNDS + 10)
        async with deployment.agent(reset) as agent:

            def call(number: int) -> Any:
                reads = kind == "reads" or (kind == "both" and number % 2)
                return agent.get(TICKETS) if reads else agent.post("/wait", json={"seconds": 60})

            rounds = [await asyncio.gather(*map(call, range(AT_ONCE))) for _ in range(ROUNDS)]

    answers = [answer for answered in rounds for answer in answered]
    assert Counter(answer.status_code for answer in answers) == {200: AT_ONCE * ROUNDS}
    steps = sorted(int(answer.headers["companyos-step"]) for answer in answers)
    assert steps == list(range(1, AT_ONCE * ROUNDS + 1))


async def test_every_address_that_a_reset_hands_out_answers_its_agent(deployment: Deployment) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    async with deployment.trainer() as trainer:
        reset = await begun(trainer, seed=4)
        async with deployment.agent(reset) as agent:
            told = reset["metadata"]["agent_urls"]
            urls = {name: deployment.published(url) for name, url in told.items()}
            answers = [
                await agent.get(urls["task"]),
                await agent.get(urls["tools"]),
                await agent.post(urls["mcp"], json=hello),
                await agent.get(urls["rest"] + TICKETS),
            ]

    assert [answer.status_code for answer in answers] == [200] * 4


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/reset", {"scenario": "no_such_scenario"}, 404, "scenario_unknown"),
        ("GET", "/state?episode_id=none", None, 404, "episode_unknown"),
        ("GET", "/episodes/none/grade", None, 404, "episode_unknown"),
        ("DELETE", "/episodes/none", None, 404, "episode_unknown"),
        ("GET", "/no/such/route", None, 404, "not_found"),
        ("DELETE", "/reset", None, 405, "method_not_allowed"),
    ],
)
async def test_trainers_are_refused_alike(
    deployment: Deployment, method: str, path: str, body: dict[str, Any] | None, status: int, code: str
) -> None:
    async with deployment.trainer() as trainer:
        answer = await trainer.request(method, path, json=body)

    assert (answer.status_code, answer.json()["type"]) == (status, code), answer.text
    assert answer.headers["content-type"] == "application/problem+json"


async def test_agents_are_refused_alike(deployment: Deployment) -> None:
    async with deployment.trainer() as trainer:
        reset = await begun(trainer, seed=5)
        async with deployment.agent(reset) as agent:
            unknown = await agent.get("/task", headers={"Authorization": "Bearer cos_agent_unknown"})
            nowhere = await agent.get("/ticketdesk/nowhere")
            trainers = await agent.get("/episodes")
            await agent.post("/finish", json={})
            over = await agent.get("/task")

    told = [(one.status_code, one.json().get("type")) for one in (unknown, nowhere, trainers, over)]
    assert told == [
        (401, "agent_token_invalid"),
        (404, "not_found"),
        (404, "not_found"),
        (401, "agent_token_expired"),
    ], told


async def test_an_agents_token_opens_nothing_of_the_trainers(deployment: Deployment) -> None:
    async with deployment.trainer() as trainer:
        reset = (await begun(trainer, seed=6))["metadata"]
        of_agent = {"Authorization": f"Bearer {reset['agent_token']}"}
        episode = f"/episodes/{reset['episode_id']}"
        answers = [await trainer.get(episode + part, headers=of_agent) for part in ("", "/grade", "/trace")]
        answers += [await trainer.delete(episode, headers=of_agent)]
        answers += [
            await trainer.post(path, json={}, headers=of_agent) for path in ("/reset", "/step", "/mcp")
        ]
        is_there = await trainer.get(episode)

    assert {(one.status_code, one.json()["type"]) for one in answers} == {(403, "agent_token_refused")}
    assert is_there.status_code == 200


async def test_a_burst_beyond_capacity_drains_and_leaves_nothing_behind(deployment: Deployment) -> None:
    async with deployment.trainer() as trainer:

        async def play(number: int) -> set[int]:
            seen = await trainer.post("/reset", json={"scenario": SCENARIO, "seed": number % 8, "chaos": 0})
            if seen.status_code != 200:
                return {_refused(seen)}
            episode = {"episode_id": seen.json()["metadata"]["episode_id"]}
            step = await trainer.post("/step", json={"action": {"tool_name": "list_tools"}, **episode})
            await trainer.delete(f"/episodes/{episode['episode_id']}")
            return {_refused(step)}

        statuses = set().union(*await asyncio.gather(*map(play, range(BURST))))
        ready = await _until_ready(trainer)
        after = await play(1)

    assert statuses <= {200, 429, 503}
    assert ready
    assert after == {200}


def _refused(answer: httpx.Response) -> int:
    """Return the status of an answer; a refusal must say when to come again."""
    if answer.status_code != 200:
        assert answer.headers["retry-after"], answer.text
    return answer.status_code


async def _until_ready(trainer: httpx.AsyncClient) -> bool:
    async with asyncio.timeout(PATIENCE_S):
        while not (await trainer.get("/ready")).is_success:
            await asyncio.sleep(0.1)
    return True
