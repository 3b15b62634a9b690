"""Helper for tests that returns forks by their episodes' ids."""

from orchestrator.branching.branches import Branches


async def forked(branches: Branches, episode_id: str, count: int) -> list[str]:
    """Fork an episode and return the ids of the branches."""
    return [str(branch["episode_id"]) for branch in await branches.fork(episode_id, count)]
