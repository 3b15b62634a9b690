"""Snapshots, restores, forks and batches at the trainer API, and as the client offers them."""

from __future__ import annotations

import httpx
import pytest

from companyos import CompanyosEnv
from companyos.client import EpisodeOver, Refused, Via

from .trainer_calls import LOOK, started, stepped

WAYS = list(Via)
FINISH = {"tool_name": "finish", "arguments": {"answer": "nothing was done"}}


async def test_a_snapshot_is_taken_found_and_dropped(http: httpx.AsyncClient) -> None:
    episode_id = await started(http, seed=4)

    taken = await http.post(f"/episodes/{episode_id}/snapshots", json={"name": "start"})
    where = f"/snapshots/{taken.json()['snapshot_id']}"
    found = await http.get(where)
    listed = await http.get("/snapshots", params={"name": "start", "limit": 200})
    dropped = await http.delete(where)
    gone = await http.get(where)

    assert found.json() == taken.json()
    assert taken.json() in listed.json()["items"]
    assert (dropped.status_code, dropped.content) == (204, b"")
    assert (gone.status_code, gone.json()["type"]) == (404, "snapshot_unknown")


async def test_an_episode_is_put_back(http: httpx.AsyncClient) -> None:
    episode_id = await started(http)
    taken = (await http.post(f"/episodes/{episode_id}/snapshots")).json()
    first = await stepped(http, episode_id)

    restored = await http.post(f"/episodes/{episode_id}/restore", json={"snapshot_id": taken["snapshot_id"]})
    again = await stepped(http, episode_id)

    assert restored.json()["step_count"] == 0
    assert again.json() == first.json()


async def test_a_fork_opens_as_many_episodes_as_asked_for(http: httpx.AsyncClient) -> None:
    episode_id = await started(http)

    opened = (await http.post(f"/episodes/{episode_id}/fork", json={"count": 3})).json()["episodes"]

    answers = [await stepped(http, branch["episode_id"]) for branch in opened]
    assert len({branch["episode_id"] for branch in opened}) == 3
    assert {answer.json()["metadata"]["trace_hash"] for answer in answers} == {
        (await stepped(http, episode_id)).json()["metadata"]["trace_hash"]
    }


@pytest.mark.parametrize(
    ("route", "body"),
    [
        ("fork", {}),
        ("fork", {"count": 0}),
        ("fork", {"count": 257}),
        ("fork", {"count": "two"}),
        ("restore", {}),
        ("restore", {"snapshot_id": 7}),
        ("snapshots", {"pinned": "yes"}),
        ("snapshots", {"color": "blue"}),
        ("snapshots", []),
    ],
)
async def test_invalid_fork_and_restore_bodies_return_a_problem_document(
    http: httpx.AsyncClient, route: str, body: object
) -> None:
    answer = await http.post(f"/episodes/{await started(http)}/{route}", json=body)

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_reset_from_a_snapshot_takes_no_scenario_besides(http: httpx.AsyncClient) -> None:
    taken = (await http.post(f"/episodes/{await started(http)}/snapshots")).json()

    answer = await http.post("/reset", json={"snapshot": taken["snapshot_id"], "seed": 1})
    unknown = await http.post("/reset", json={"snapshot": "snap-999999"})

    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["body", "seed"])
    assert (unknown.status_code, unknown.json()["type"]) == (404, "snapshot_unknown")


async def test_a_batch_answers_in_order_and_each_failure_is_its_own(http: httpx.AsyncClient) -> None:
    begun = (await http.post("/batch/reset", json=[{"seed": 4}, {"scenario": "nowhere"}, {"seed": 5}])).json()
    first, third = begun[0]["metadata"]["episode_id"], begun[2]["metadata"]["episode_id"]

    played = await http.post(
        "/batch/step",
        json=[
            {"episode_id": third, "action": LOOK},
            {"episode_id": "nobody", "action": LOOK},
            "step",
            {"episode_id": first, "action": LOOK, "step": 1},
            {"episode_id": first, "color": "blue", "action": LOOK},
        ],
    )

    answers = played.json()
    assert [one["metadata"]["seed"] for one in (begun[0], begun[2])] == [4, 5]
    assert begun[1]["error"]["type"] == "scenario_unknown"
    assert [answers[at]["metadata"]["episode_id"] for at in (0, 3)] == [third, first]
    assert answers[1]["error"]["type"] == "episode_unknown"
    assert [answers[at]["error"]["status"] for at in (2, 4)] == [422, 422]


@pytest.mark.parametrize("body", [{}, [{}] * 1025, None])
async def test_a_batch_is_a_list_that_is_not_too_long(http: httpx.AsyncClient, body: object) -> None:
    answer = await http.post("/batch/step", json=body)

    assert (answer.status_code, answer.json()["type"]) == (422, "invalid_request")


@pytest.mark.parametrize("via", WAYS)
def test_the_client_goes_back_and_branches(url: str, via: Via) -> None:
    with CompanyosEnv(url, via=via) as env:
        env.reset(seed=4)
        kept = env.snapshot("start")
        first = env.step(LOOK)
        branches = env.fork(2)
        env.step(FINISH)
        with pytest.raises(EpisodeOver):
            env.fork(1)

        assert env.restore(kept).step_count == 0
        assert env.step(LOOK) == first

        hashes = {branch.step(LOOK).metadata.trace_hash for branch in branches}
        assert hashes == {env.step(LOOK).metadata.trace_hash}
        for branch in branches:
            branch.close()
        assert env.reset(snapshot=kept).observation.step == 0
        env.drop(kept)
        with pytest.raises(Refused, match="snapshot_unknown"):
            env.restore(kept)


@pytest.mark.parametrize("via", WAYS)
def test_each_branch_has_an_agent_token_of_its_own(url: str, via: Via) -> None:
    with CompanyosEnv(url, via=via) as env:
        assert env.agent_access == {}
        opened = env.reset(seed=4).metadata
        one, other = env.fork(2)

        assert env.agent_access == {name: opened[name] for name in ("agent_token", "agent_urls")}
        assert len({branch.agent_access["agent_token"] for branch in (env, one, other)}) == 3
        assert one.agent_access["agent_urls"] == opened["agent_urls"]
        for branch in (one, other):
            branch.close()


@pytest.mark.parametrize("via", WAYS)
async def test_the_awaited_client_does_the_same(url: str, via: Via) -> None:
    async with CompanyosEnv(url, via=via) as env:
        await env.reset(seed=4)
        kept = await env.snapshot()
        first = await env.step(LOOK)
        [branch] = await env.fork(1)
        await env.restore(kept)

        assert await env.step(LOOK) == first
        assert (await branch.step(LOOK)).metadata.trace_hash == (await env.step(LOOK)).metadata.trace_hash
        await branch.close()
        await env.drop(kept)
