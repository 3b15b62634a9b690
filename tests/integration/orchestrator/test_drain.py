"""A stack that drains: it takes no resets, and goes on with the episodes that are open."""

import httpx
import pytest

from orchestrator.episodes.facade import ResetOptions
from orchestrator.http.app import trainer_api
from orchestrator.http.messages.guard import TrainerAccess
from orchestrator.protocol.problems import Refusal
from tests.live_services import serving
from tests.patience import PATIENCE_S

from .toy_scenario import ToyScenario
from .toy_stack import ToyStack

RESET = {"scenario": ToyScenario.name}


async def test_a_draining_cell_plays_on_and_takes_resets_again_when_asked(toy_stack: ToyStack) -> None:
    api = trainer_api(
        lambda: toy_stack.orchestrator(cell="cell-a"),
        TrainerAccess(published_host="127.0.0.1"),
        max_sessions=8,
    )
    async with serving(api) as url, httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as http:
        await api.state.episodes.await_start()
        episode_id = (await http.post("/reset", json=RESET)).json()["metadata"]["episode_id"]

        draining = (await http.put("/cell/drain", json={"seconds": 60})).json()
        refused = await http.post("/reset", json=RESET)
        stepped = await http.post("/step", json={"episode_id": episode_id, "action": {"tool_name": "finish"}})
        forked = await http.post(f"/episodes/{episode_id}/fork", json={"count": 1})
        resumed = (await http.put("/cell/drain", json={"seconds": 0})).json()
        taken = await http.post("/reset", json=RESET)

    assert draining["name"] == "cell-a"
    assert draining["drains_s"] == pytest.approx(60, abs=10)
    assert draining["open_episodes"] >= 1
    assert (refused.status_code, refused.json()["type"], refused.json()["retryable"]) == (
        503,
        "cell_draining",
        True,
    )
    assert (stepped.status_code, forked.status_code) == (200, 409 if stepped.json()["done"] else 200)
    assert resumed["drains_s"] == 0
    assert taken.status_code == 200


async def test_every_replica_of_a_draining_stack_refuses_resets(toy_stack: ToyStack) -> None:
    async with toy_stack.orchestrator() as one, toy_stack.orchestrator() as other:
        await one.await_start()
        await other.await_start()

        await one.capacity.drain(60)
        await other.capacity.count()
        with pytest.raises(Refusal, match="takes no resets"):
            await other.reset(ResetOptions(scenario=ToyScenario.name))
        await other.capacity.drain(0)
        await one.capacity.count()

        assert (await one.reset(ResetOptions(scenario=ToyScenario.name))).metadata["episode_id"]
