"""Drills, and episodes whose agents stop before their end."""

import pytest

from orchestrator.episodes.facade import Episodes

from .toy_stack import begin, solve


async def test_a_drill_pays_milestones_and_success(episodes: Episodes) -> None:
    play = await solve(await begin(episodes, rewards="drill"))

    assert [reply.reward for reply in play.replies] == [0.0, 0.04, 0.09, 1.0]


@pytest.mark.parametrize(
    ("rewards", "earned"), [("seed", -2.1), ("progress", -2.1), ("potential", -2.1), ("drill", 0.0)]
)
async def test_an_abandoned_episode_ends_as_a_failed_one(
    episodes: Episodes, rewards: str, earned: float
) -> None:
    play = await begin(episodes, rewards=rewards)

    abandoned = await episodes.step(play.id, {"type": "abandon"})

    assert abandoned.done
    assert abandoned.metadata["success"] is False
    assert abandoned.metadata["terminated"] is True
    assert abandoned.reward == abandoned.metadata["episode_return"] == earned


async def test_abandoning_solved_work_is_no_success(episodes: Episodes) -> None:
    play = await begin(episodes, rewards="drill")
    solved = await solve(await begin(episodes, rewards="drill"))
    [_, *steps, _] = await episodes.trace(solved.id)
    for step in steps:
        await episodes.step(play.id, step["action"])

    abandoned = await episodes.step(play.id, {"type": "abandon"})

    assert abandoned.metadata["success"] is False
    assert abandoned.metadata["episode_return"] == 0.13
