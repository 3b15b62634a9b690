"""The criteria that `openenv validate` names and does not grade yet, held here under their names.

See the severity policy of OpenEnv 0.10: each is listed there, most with the severity "fail".
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from companyos import CompanyosEnv
from companyos.client import Result
from companyos.evaluation.agents import Agent, DoNothing, Oracle
from companyos.sdk.scenario import find
from examples import oracle
from tests.families import SOME

from .openenv_plan import CANARY_FILE, DISCOVERY, PLAN
from .trainer_calls import LOOK, started, stepped

pytestmark = pytest.mark.proof

SCENARIOS = SOME
MANIFEST = Path(__file__).parents[2] / "openenv.yaml"
#: What the manifest declares as the range of a step's reward, and the floor's distance from the best.
CANARIES = json.loads(CANARY_FILE.read_text())["canaries"]
REWARDS, FLOOR_MARGIN = (0.0, 1.0), 1.0


def play(url: str, agent: Agent, **options: Any) -> list[Result]:
    """Return what came of an episode, from its reset to its end."""
    with CompanyosEnv(url) as env:
        results = [env.reset(**{"rewards": "sparse", **options})]
        agent.start(results[0].observation)
        while not results[-1].done:
            results.append(env.step(agent.act(results[-1].observation)))
    return results


def hashes(results: list[Result]) -> list[str]:
    return [result.metadata.trace_hash for result in results]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_oracle_max(url: str, scenario: str) -> None:
    last = play(url, Oracle(find(scenario)), scenario=scenario, seed=1)[-1]

    assert last.metadata.success is True
    assert last.reward == last.metadata.episode_return == REWARDS[1]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_floor_gap(url: str, scenario: str) -> None:
    first, *_, least = play(url, DoNothing(), scenario=scenario, seed=2)

    assert least.metadata.success is False
    assert first.reward == least.reward == least.metadata.episode_return == REWARDS[1] - FLOOR_MARGIN


def test_seed_control(url: str) -> None:
    texts = {play_first(url, seed).observation.text for seed in range(0, 40, 2)}

    assert len(texts) == 20
    assert play_first(url, 6).observation == play_first(url, 6).observation


def play_first(url: str, seed: int) -> Result:
    with CompanyosEnv(url) as env:
        return env.reset(seed=seed)


@pytest.mark.parametrize("scenario", SOME)
def test_episode_determinism(url: str, scenario: str) -> None:
    plays = [play(url, Oracle(find(scenario)), scenario=scenario, seed=3) for _ in range(2)]

    assert hashes(plays[0]) == hashes(plays[1])
    assert [result.observation for result in plays[0]] == [result.observation for result in plays[1]]
    assert [result.reward for result in plays[0]] == [result.reward for result in plays[1]]


async def test_episode_isolation(url: str) -> None:
    alone = await asyncio.to_thread(play, url, Oracle(find("vendor_onboarding")), seed=5)

    together = await asyncio.gather(
        *(
            asyncio.to_thread(play, url, Oracle(find("vendor_onboarding")), seed=seed)
            for seed in (5, 6, 5, 7, 5, 8)
        )
    )

    assert [hashes(together[place]) for place in (0, 2, 4)] == [hashes(alone)] * 3


def test_replayability(url: str) -> None:
    with CompanyosEnv(url) as env:
        results = play(url, Oracle(find("vendor_onboarding")), seed=9)
        trace = env.trace(results[0].metadata.episode_id)

        env.reset(seed=9, rewards="sparse")
        again = [env.step(record["action"]) for record in trace[1:]]

    assert hashes(again) == hashes(results[1:])


def test_trajectory_record(url: str) -> None:
    results = play(url, Oracle(find("vendor_onboarding")), seed=11)

    with CompanyosEnv(url) as env:
        trace = env.trace(results[0].metadata.episode_id)

    seen = [{**result.observation} for result in results]
    assert [{**record["observation"], "metadata": {}} for record in trace] == seen
    assert [record["reward"] for record in trace[1:]] == [result.reward for result in results[1:]]


def test_verifier_determinism(url: str) -> None:
    results = play(url, Oracle(find("vendor_onboarding")), seed=13)

    with CompanyosEnv(url) as env:
        cards = [env.grade(results[0].metadata.episode_id) for _ in range(3)]

    assert cards[0] == cards[1] == cards[2]


@pytest.mark.parametrize(
    "agent", [lambda: Oracle(find("vendor_onboarding")), DoNothing], ids=["oracle", "idle"]
)
def test_reward_is_within_the_declared_range_and_its_sum_is_the_return(
    url: str, agent: Callable[[], Agent]
) -> None:
    results = play(url, agent(), seed=15)

    rewards = [result.reward for result in results if result.reward is not None]
    assert len(rewards) == len(results)
    assert all(REWARDS[0] <= reward <= REWARDS[1] for reward in rewards)
    assert round(sum(rewards), 2) == results[-1].metadata.episode_return


@pytest.mark.parametrize("scenario", SOME)
def test_observations_do_not_leak_the_solution(url: str, scenario: str) -> None:
    """What only trainers may know is nowhere in what agents are shown."""
    results = play(url, Oracle(find(scenario)), scenario=scenario, seed=17)
    with CompanyosEnv(url) as env:
        card = env.grade(results[0].metadata.episode_id)

    shown = "\n".join(json.dumps(result.observation) for result in results)
    # A milestone called "approved" shares its name with a status that everybody may see.
    milestones = [each["name"] for each in card["milestones"] if "_" in each["name"]]
    assert [name for name in [*milestones, results[0].metadata.episode_id] if name in shown] == []
    assert not any(word in shown for word in ("reward", "milestone", "trace_hash", "oracle", "twin"))


async def test_tool_declaration_accuracy(http: httpx.AsyncClient) -> None:
    first = (await http.post("/reset")).json()
    listed = (await stepped(http, first["metadata"]["episode_id"], {"type": "list_tools"})).json()
    manifest = [tool["function"]["name"] for tool in (await http.get("/manifest")).json()["tools"]]

    assert [tool["name"] for tool in first["observation"]["tools"]] == manifest
    assert [tool["name"] for tool in listed["observation"]["tools"]] == manifest
    assert yaml.safe_load(MANIFEST.read_text())["validation"]["capabilities"]["declared_tools"] == manifest
    assert json.loads(DISCOVERY.read_text())["agent_tools"]["names"] == manifest
    assert not {"reset", "step", "state", "close"} & set(manifest)


async def test_task_declaration_accuracy(http: httpx.AsyncClient) -> None:
    declared = yaml.safe_load(MANIFEST.read_text())["validation"]["capabilities"]["declared_task_count"]

    for split in ("train", "validation", "test"):
        count = (await http.post("/companyos/num_tasks", json={"split": split})).json()["num_tasks"]
        assert declared[split] == count


def test_the_manifest_declares_the_rewards_that_are_measured_here() -> None:
    declared = yaml.safe_load(MANIFEST.read_text())["validation"]["reward"]

    assert declared == {"range": list(REWARDS), "oracle_tolerance": 0.0, "floor_margin": FLOOR_MARGIN}


def test_the_declared_oracle_solves_its_task(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert oracle.main(url) == 0

    told = json.loads(capsys.readouterr().out)
    assert (told["success"], told["reward"], told["episode_return"]) == (True, 1.0, 1.0)


@pytest.mark.parametrize("by", ["option", "variable"])
def test_the_declared_oracle_continues_an_episode(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    with CompanyosEnv(url) as env:
        begun = env.reset(scenario="expense_report", seed=4, rewards="sparse")
        episode_id = begun.metadata.episode_id
        if by == "variable":
            monkeypatch.setenv("OPENENV_EPISODE_ID", episode_id)

        code = oracle.main(url, *(["--episode-id", episode_id] if by == "option" else []))

        assert (code, env.state()["done"]) == (0, True)
    told = json.loads(capsys.readouterr().out)
    assert (told["episode_id"], told["reward"]) == (episode_id, 1.0)


def test_set_state(url: str) -> None:
    """An injected state is that of the calls that lead to it, and ends where they end."""
    plan = json.loads(PLAN.read_text())
    options = {**plan["reset"]["options"], "seed": plan["reset"]["seed"]}
    with CompanyosEnv(url) as env:
        half = env.reset(**options, injected_state={"calls": plan["actions"][:5]})
        rest = [env.step(action) for action in plan["actions"][5:]]
        whole = env.reset(**options, injected_state={"calls": plan["actions"]})

    assert (half.observation["step"], half.done, half.reward) == (5, False, 0.0)
    assert (rest[-1].reward, rest[-1].done) == (whole.reward, whole.done) == (1.0, True)
    assert whole.metadata.trace_hash == rest[-1].metadata.trace_hash


@pytest.mark.parametrize(
    ("state", "place"),
    [
        ([], ["injected_state"]),
        ({"call": []}, ["injected_state", "calls"]),
        ({"calls": [LOOK, 7]}, ["injected_state", "calls", 1]),
        ({"calls": [LOOK, {"type": "dance"}]}, ["injected_state", "calls", 1]),
        ({"calls": [{"type": "list_tools"}]}, ["injected_state", "calls", 0]),
    ],
)
async def test_an_injected_state_that_cannot_be_reached_starts_nothing(
    http: httpx.AsyncClient, state: Any, place: list[str | int]
) -> None:
    answer = await http.post("/reset", json={"episode_id": "never", "injected_state": state})

    assert answer.status_code == 422
    assert place in [flaw["loc"][-len(place) :] for flaw in answer.json()["detail"]]
    assert (await http.get("/state", params={"episode_id": "never"})).status_code == 404


@pytest.mark.parametrize("canary", CANARIES, ids=[canary["name"] for canary in CANARIES])
def test_canary_floor(url: str, canary: dict[str, Any]) -> None:
    reset = canary["reset"]
    with CompanyosEnv(url) as env:
        results = [env.reset(**reset["options"], seed=reset["seed"])]
        for action in canary["actions"]:
            if not results[-1].done:
                results.append(env.step(action))

    assert {result.reward for result in results} == {REWARDS[0]}
    assert not results[-1].metadata.success


def test_the_plan_that_the_image_is_validated_with_ends_in_success(url: str) -> None:
    """Otherwise write it anew: python -m tests.contracts.openenv_plan."""
    plan = json.loads(PLAN.read_text())
    with CompanyosEnv(url, via="websocket") as env:
        env.reset(**{**plan["reset"]["options"], "seed": plan["reset"]["seed"]})
        results = [env.step(action) for action in plan["actions"]]

    assert results[-1].metadata.success is True
    assert [result.done for result in results].index(True) == len(results) - 1


async def test_resource_bounds(http: httpx.AsyncClient) -> None:
    """An episode ends by itself: whatever is called, at the step its state announces."""
    episode_id = await started(http, max_steps=5)
    for _ in range(4):
        assert (await stepped(http, episode_id, LOOK)).json()["done"] is False

    last = (await stepped(http, episode_id, LOOK)).json()

    assert (last["done"], last["metadata"]["truncated"], last["metadata"]["success"]) == (True, True, False)
    assert (await stepped(http, episode_id, LOOK)).json()["type"] == "episode_done"


@pytest.mark.parametrize("ending", [{"tool_name": "finish"}, {"type": "abandon"}])
async def test_calls_behind_the_end_of_an_injected_state_leave_no_episode(
    http: httpx.AsyncClient, ending: dict[str, Any]
) -> None:
    state = {"calls": [ending, LOOK]}

    answer = await http.post("/reset", json={"episode_id": "over", "injected_state": state})
    left = await http.get("/state", params={"episode_id": "over"})

    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", "injected_state", "calls", 1]
    assert left.status_code == 404
