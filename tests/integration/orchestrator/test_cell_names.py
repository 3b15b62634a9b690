"""The names that a cell makes, each of which begins with its own, so that a router finds it."""

from pathlib import Path

from orchestrator.episodes.facade import ResetOptions
from orchestrator.protocol.agent_tokens import is_agent_token

from .toy_scenario import ToyScenario
from .toy_stack import ToyStack


async def test_everything_that_a_cell_makes_carries_its_name(toy_stack: ToyStack, tmp_path: Path) -> None:
    async with toy_stack.orchestrator(cell="cell-a") as cell:
        await cell.await_start()

        reset = await cell.reset(ResetOptions(scenario=ToyScenario.name))
        episode_id = reset.metadata["episode_id"]
        snapshot = await cell.branches.snapshot(episode_id)
        archive = await cell.archives.export(snapshot["snapshot_id"])
        imported = await cell.archives.import_(archive)
        (branch,) = await cell.branches.fork(episode_id, 1)
        chosen = await cell.reset(ResetOptions(scenario=ToyScenario.name, episode_id="named-by-hand"))

    made = (episode_id, snapshot["snapshot_id"], imported["snapshot_id"], branch["episode_id"])
    tokens = (reset.metadata["agent_token"], branch["agent_token"], chosen.metadata["agent_token"])
    assert all(name.startswith("cell-a.") for name in made)
    assert all(token.startswith("cosagent_cell-a.") and is_agent_token(token) for token in tokens)
    assert chosen.metadata["episode_id"] == "named-by-hand"
