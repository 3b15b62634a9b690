"""Positions on an axis, and one round of all measurements at a position."""

import asyncio
import copy
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from ..trainer import Episode, Trainer

IN_FLIGHT = 64
BRANCHES = 8


class Client(Trainer):
    """A trainer that can also branch episodes."""

    async def snapshot(self, episode: Episode) -> str:
        """Take a snapshot and return its id."""
        snapshot_id: str = (await self.post(f"/episodes/{episode.id}/snapshots", {}))["snapshot_id"]
        return snapshot_id

    async def drop(self, snapshot_id: str) -> None:
        """Delete a snapshot."""
        async with self._session.delete(f"{self._url}/snapshots/{snapshot_id}") as answer:
            await answer.read()

    async def fork(self, episode: Episode, count: int) -> list[Episode]:
        """Open branches of an episode."""
        opened = (await self.post(f"/episodes/{episode.id}/fork", {"count": count}))["episodes"]
        return [_branch(episode, one["episode_id"]) for one in opened]


#: Returns the episode to step in, and the episode to branch.
Subjects = Callable[[], Awaitable[tuple[Episode, Episode]]]


@dataclass(frozen=True)
class Site:
    """A position on an axis: its reset options, and its episodes."""

    client: Client
    options: dict[str, Any]
    subjects: Subjects


def among(client: Client, worlds: list[Episode]) -> Subjects:
    """Step in any of many worlds, most of them idle for long; branch a fresh one."""
    draw = Random(len(worlds))

    async def subjects() -> tuple[Episode, Episode]:
        return draw.choice(worlds), await client.reset()

    return subjects


def below(client: Client, parent: Episode) -> Subjects:
    """Step in a branch of an episode, and fork that branch, so that the episode itself stays unchanged."""

    async def subjects() -> tuple[Episode, Episode]:
        [branch] = await client.fork(parent, 1)
        # The first step of a branch reads all earlier records once, which is not part of the cost of a step.
        await branch.step(branch.read())
        return branch, branch

    return subjects


async def one_round(site: Site) -> dict[str, float]:
    """Return how long each action took at a site, in seconds."""
    client, (stepped, branched) = site.client, await site.subjects()
    times: dict[str, float] = {}
    await _timed(times, "step: read", stepped.step(stepped.read()))
    await _timed(times, "step: write", stepped.step(stepped.write()))
    await branched.step(branched.write())
    snapshot_id = await _timed(times, "snapshot", client.snapshot(branched))
    await branched.step(branched.write())
    branches = await _timed(times, "fork(8)", client.fork(branched, BRANCHES))
    again = {**site.options, "scenario": "vendor_onboarding", "episode_id": branches[0].id, "replace": True}
    await _timed(times, "reset", client.post("/reset", again))
    for episode in (branched, *branches):
        await client.close_episode(episode.id)
    await client.drop(snapshot_id)
    return times


async def rounds(sites: dict[int, Site], count: int) -> dict[int, list[dict[str, float]]]:
    """Measure every site `count` times in turns, so that noise affects all equally."""
    for site in sites.values():
        await one_round(site)
    times: dict[int, list[dict[str, float]]] = {x: [] for x in sites}
    for _ in range(count):
        for x, site in sites.items():
            times[x].append(await one_round(site))
    return times


async def opened(client: Client, count: int, steps: int, **options: Any) -> list[Episode]:
    """Open episodes, many at a time, and play this many writing steps in each."""
    turns = iter(range(count))
    found: list[Episode] = []

    async def keep_opening() -> None:
        for number in turns:
            episode = await client.reset(**{"seed": number % BRANCHES, **options})
            for _ in range(steps):
                await episode.step(episode.write())
            found.append(episode)

    await asyncio.gather(*(keep_opening() for _ in range(min(IN_FLIGHT, count))))
    return found


async def _timed(times: dict[str, float], action: str, work: Awaitable[Any]) -> Any:
    began = time.perf_counter()
    done = await work
    times[action] = time.perf_counter() - began
    return done


def _branch(episode: Episode, episode_id: str) -> Episode:
    branch = copy.copy(episode)
    branch.id = episode_id
    return branch
