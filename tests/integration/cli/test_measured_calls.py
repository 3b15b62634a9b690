"""The benchmark's calls succeed on a running stack, so that a measurement of an hour does not stop at one of them."""

import aiohttp

from tests.benchmarks.new_seeds import Times, play_episode
from tests.benchmarks.trainer import CALLED, Trainer

from .conftest import CommandLine

MIX = 16


async def test_every_call_of_the_mix_succeeds(running: CommandLine) -> None:
    async with aiohttp.ClientSession() as session:
        trainer = Trainer(running.json("status")["url"], session)
        episode = await trainer.reset(seed=3)

        for _ in range(MIX):
            await episode.next_step()

        assert set(await trainer.tools()) >= CALLED


async def test_every_call_of_a_short_episode_succeeds(running: CommandLine) -> None:
    times = Times()
    async with aiohttp.ClientSession() as session:
        await play_episode(Trainer(running.json("status")["url"], session), 4, times)

    assert (len(times.resets), len(times.steps)) == (1, 7)
