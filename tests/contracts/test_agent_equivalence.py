"""The same actions give the same episode through `step`, MCP and REST."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import httpx
import jsonschema_rs
import pytest

from companyos import CompanyosEnv
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import find
from tests.families import SOME
from tests.patience import PATIENCE_S
from tests.sizes import size

from .agent_calls import AgentSide, agent_in

pytestmark = pytest.mark.proof

SEEDS = size(1, 8)
CASES = [
    pytest.param(scenario, level, seed, id=f"{scenario}-{level}-{seed}")
    for scenario in SOME
    for level in (0, 3)
    for seed in range(SEEDS)
]
Play = Callable[[AgentSide, dict[str, Any]], None]


@cache
def played_by_step(url: str, scenario: str, level: int, seed: int) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return the oracle's actions, and what a trainer is told afterwards."""
    oracle, actions = Oracle(find(scenario)), []
    with CompanyosEnv(url) as env:
        result = env.reset(scenario=scenario, seed=seed, chaos=level, tools="all")
        oracle.start(result.observation)
        while not result.done:
            actions.append(oracle.act(result.observation))
            result = env.step(actions[-1])
        assert result.metadata.success, result.observation.text
        return actions, told(url, str(result.metadata.episode_id))


def told(url: str, episode_id: str) -> list[Any]:
    """Return the trace, the grade card and the outcome of an episode, without what names the run."""
    with httpx.Client(base_url=url, timeout=PATIENCE_S) as trainer:
        episode, grade, trace = [
            trainer.get(f"/episodes/{episode_id}{part}").raise_for_status().json()
            for part in ("", "/grade", "/trace")
        ]
    run = ("episode_id", "took_ms", "seal")
    return [without(one, run) for one in (episode, grade, *trace)]


def without(document: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in names}


@pytest.fixture
def agent(url: str, scenario: str, level: int, seed: int) -> Iterator[AgentSide]:
    """An agent at the start of the case's episode."""
    with agent_in(url, scenario=scenario, seed=seed, chaos=level, tools="all") as agent:
        yield agent


@pytest.mark.parametrize(("scenario", "level", "seed"), CASES)
def test_the_oracle_plays_the_same_episode_over_mcp(
    url: str, agent: AgentSide, scenario: str, level: int, seed: int
) -> None:
    actions, expected = played_by_step(url, scenario, level, seed)

    results = [agent.by_mcp(action) for action in actions]

    assert told(url, agent.episode_id) == expected
    seen = [record["observation"] for record in expected[3:]]
    assert [result["content"][0]["text"] for result in results] == [one["text"] for one in seen]
    assert [result["isError"] for result in results] == [one["error"] is not None for one in seen]
    assert [result["_meta"]["companyos/standing"]["sim_now"] for result in results] == [
        one["sim_now"] for one in seen
    ]


@pytest.mark.parametrize(("scenario", "level", "seed"), CASES)
def test_the_oracle_plays_the_same_episode_over_rest(
    url: str, agent: AgentSide, scenario: str, level: int, seed: int
) -> None:
    actions, expected = played_by_step(url, scenario, level, seed)

    responses = [agent.by_rest(action) for action in actions]

    assert told(url, agent.episode_id) == expected
    seen = [record["observation"] for record in expected[3:]]
    for response, one in zip(responses, seen, strict=True):
        if one["error"] is None:
            assert response.is_success
            assert response.json() == one["result"]
        else:
            assert response.headers["content-type"] == "application/problem+json"
            assert response.json()["type"] == one["error"]["code"]
            assert response.json()["detail"] == one["error"]["message"]
            assert response.status_code == response.json()["status"] >= 400


@pytest.mark.parametrize(("scenario", "level", "seed"), CASES)
def test_every_result_keeps_to_the_listed_schema(
    url: str, agent: AgentSide, scenario: str, level: int, seed: int
) -> None:
    actions, _ = played_by_step(url, scenario, level, seed)
    listed = {tool["name"]: tool["outputSchema"] for tool in agent.rpc("tools/list")["result"]["tools"]}

    for action in actions:
        result = agent.by_mcp(action)
        if not result["isError"]:
            jsonschema_rs.validate(listed[action["tool_name"]], result["structuredContent"])


def test_calls_over_both_ways_and_by_the_trainer_are_steps_of_one_episode(url: str) -> None:
    with agent_in(url, seed=1, chaos=0) as agent:
        look = {"tool_name": "ticketdesk_list_tickets", "arguments": {"limit": 1}}
        agent.by_mcp(look)
        agent.by_rest(look)
        by_step = httpx.post(f"{url}/step", json={"episode_id": agent.episode_id, "action": look}).json()

        assert by_step["observation"]["step"] == 3
        assert agent.http.get("/task").json()["step"] == 3
        assert agent.by_rest(look).json() == by_step["observation"]["result"]


def test_slips_cost_the_same_over_every_way(url: str) -> None:
    slips: list[dict[str, Any]] = [
        {"tool_name": "ticketdesk_list_tickets", "arguments": {"limit": "many"}},
        {"tool_name": "ticketdesk_list_tickets", "arguments": {"colour": "red"}},
        {"tool_name": "ticketdesk_get_ticket", "arguments": {"ticket_id": "TD-0"}},
        {"tool_name": "ticketdesk_update_ticket", "arguments": {"ticket_id": "TD-1001", "priority": "loud"}},
        {"tool_name": "wait", "arguments": {"seconds": -1}},
    ]
    hashes = set()
    for way in ("by_mcp", "by_rest"):
        with agent_in(url, seed=2, chaos=0) as agent:
            for slip in slips:
                getattr(agent, way)(slip)
            hashes.add(httpx.get(f"{url}/episodes/{agent.episode_id}").json()["trace_hash"])

    with agent_in(url, seed=2, chaos=0) as agent:
        for slip in slips:
            body = {"episode_id": agent.episode_id, "action": slip}
            last = httpx.post(f"{url}/step", json=body).raise_for_status().json()
        hashes.add(last["metadata"]["trace_hash"])

    assert len(hashes) == 1
