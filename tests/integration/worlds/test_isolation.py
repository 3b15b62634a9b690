"""Many episodes at once, each planting its own marks everywhere: none ever sees a mark of another."""

import asyncio
import random
import re
from dataclasses import dataclass
from typing import Any

import orjson
import pytest

from companyos.sdk.scenario import load_scenarios
from orchestrator.episodes.facade import Episodes, Refusal, Reply, ResetOptions
from tests.forks import forked
from tests.sizes import size

from .plans import instance_of, plan_of
from .planted_text import Field, Planted, Planter, marks_in, writable_fields
from .stack import Stack, episode_id, told
from .state import CIRCUMSTANCES, rows_of

AT_ONCE, STEPS = size(16, 64), size(40, 200)
SHARES = size(2, 8)
NOISY = 4
NOISE = 900
PATIENCE = 60
SCENARIOS = sorted(load_scenarios())


@dataclass
class Marked:
    """An episode full of marks: who planted them, and everything that was answered."""

    id: str
    planter: Planter
    replies: list[Reply]

    @property
    def number(self) -> str:
        """The number in its marks."""
        return f"{self.planter.number:03}"


@dataclass
class Crowd:
    """Episodes that were played at once, and what could be written to."""

    fields: list[Field]
    marked: list[Marked]


def options_of(number: int) -> dict[str, Any]:
    """Return what an episode of the crowd starts from: companies are shared by several."""
    return {
        "scenario": SCENARIOS[number % len(SCENARIOS)],
        "seed": number // len(SCENARIOS) % 2,
        "chaos": number % 2,
        "max_steps": STEPS + 10,
    }


async def begun(stack: Stack, number: int, fields: list[Field], company: int | None = None) -> Marked:
    """Begin an episode whose marks have this number."""
    options = options_of(number if company is None else company)
    plan = await plan_of(stack, **options)
    first = await stack.begin(**options)
    instance = instance_of(options["scenario"], options["seed"], options["chaos"])
    planter = Planter.of(number, first.observation, instance, plan, fields)
    return Marked(episode_id(first), planter, [first])


async def play(episodes: list[Episodes], marked: Marked, steps: int = STEPS) -> None:
    """Play an episode, every step on another replica."""
    for step in range(steps):
        action = marked.planter.act(marked.replies[-1].observation)
        marked.replies.append(await answered(episodes[step % len(episodes)], marked.id, action))


async def answered(episodes: Episodes, episode: str, action: dict[str, Any]) -> Reply:
    """Play a step, and as trainers do send it again while a crowded machine does not answer in time."""
    for _ in range(PATIENCE):
        try:
            return await episodes.step(episode, action)
        except Refusal as refused:
            if not refused.retryable:
                raise
            await asyncio.sleep(1)
    return await episodes.step(episode, action)


async def make_noise(stack: Stack, number: int, fields: list[Field], crowd: list[Marked]) -> None:
    """Make noise until cancelled; one that a crowded machine cuts short begins anew."""
    rng = random.Random(number)
    while True:
        try:
            await reset_and_branch(stack, number, fields, crowd, rng)
        except Refusal as refused:
            if not refused.retryable:
                raise


async def reset_and_branch(
    stack: Stack, number: int, fields: list[Field], crowd: list[Marked], rng: random.Random
) -> None:
    """Reset, close, keep, fork and restore episodes, and branches of the crowd's."""
    episodes = rng.choice(stack.replicas)
    noise = await begun(stack, number, fields, company=rng.randrange(AT_ONCE))
    await play([episodes], noise, steps=2)
    kept = (await episodes.branches.snapshot(noise.id))["snapshot_id"]
    await play([episodes], noise, steps=2)
    await episodes.branches.restore(noise.id, kept)
    [branch] = await forked(episodes.branches, noise.id, 1)
    await play([episodes], Marked(branch, noise.planter, noise.replies), steps=2)
    await stack.begin(**options_of(rng.randrange(AT_ONCE)), episode_id=noise.id, replace=True)
    later = await episodes.reset(ResetOptions(snapshot=kept))
    for closed in (noise.id, branch, episode_id(later)):
        await episodes.close(closed)
    await branch_off(episodes, rng.choice(crowd), noise)


async def branch_off(episodes: Episodes, marked: Marked, noise: Marked) -> None:
    """Keep and fork an episode of the crowd, and plant other marks in the branch."""
    try:
        kept = (await episodes.branches.snapshot(marked.id))["snapshot_id"]
        branches = await forked(episodes.branches, marked.id, 2)
    except Refusal as refused:
        if refused.code != "step_in_progress":
            raise
        return
    for branch in branches:
        await play([episodes], Marked(branch, noise.planter, noise.replies), steps=2)
        await episodes.close(branch)
    await episodes.branches.drop(kept)


@pytest.fixture(scope="session")
async def crowd(stack: Stack) -> Crowd:
    """All episodes played at once, while others are reset, closed, kept, forked and restored."""
    fields = await writable_fields(stack)
    marked = [await begun(stack, number, fields) for number in range(AT_ONCE)]
    async with asyncio.TaskGroup() as group:
        noise = [
            group.create_task(make_noise(stack, NOISE + number, fields, marked)) for number in range(NOISY)
        ]
        await asyncio.gather(*(play(stack.replicas, one) for one in marked))
        for task in noise:
            task.cancel()
    return Crowd(fields, marked)


@pytest.mark.proof
async def test_concurrent_episodes_never_see_data_of_another(stack: Stack, crowd: Crowd) -> None:
    for one in crowd.marked:
        episodes = stack.replicas[0]
        chain = (await episodes._episode(one.id)).chain
        shown = await episodes.trace(one.id), await episodes.company(one.id), await episodes.grade(one.id)

        # In few steps an agent may have written nothing at all, and nothing may be told of what it said.
        assert marks_in([told(reply) for reply in one.replies]) <= {one.number}
        assert marks_in(shown) == {one.number}
        assert marks_in(await rows_of(stack, chain)) <= {one.number}


@pytest.mark.proof
async def test_concurrent_episodes_write_to_every_service(stack: Stack, crowd: Crowd) -> None:
    landed: set[Field] = set()
    for one in crowd.marked:
        trace = await stack.replicas[0].trace(one.id)
        rows = orjson.dumps(await rows_of(stack, (await stack.replicas[0]._episode(one.id)).chain))
        for planted in one.planter.planted:
            record = trace[planted.step]
            if record["observation"]["error"] is None and is_kept(planted, record):
                assert is_written(planted, record, rows)
                landed.add(planted.field)

    assert {field.service for field in landed} == set(stack.services)
    assert len(landed) >= sum(field.is_written for field in crowd.fields) * size(40, 75) / 100


def is_kept(planted: Planted, record: dict[str, Any]) -> bool:
    """Return whether a call that succeeded keeps the text; where nobody stands in, no types are kept."""
    nobody = planted.field.tool == "datahub_set_delegate" and "delegate" not in record["action"]["arguments"]
    return planted.field.is_written and (planted.field.is_key or not nobody)


def is_written(planted: Planted, record: dict[str, Any], rows: bytes) -> bool:
    """Return whether a mark is in a row that its step wrote; a key is no part of the company, but it is kept."""
    where = rows if planted.field.is_key else orjson.dumps(record["changes"])
    return re.search(rf"\b{planted.mark}\b".encode(), where) is not None


@pytest.mark.proof
@pytest.mark.parametrize("share", range(SHARES))
async def test_an_episode_of_a_crowd_goes_as_it_goes_alone(stack: Stack, crowd: Crowd, share: int) -> None:
    for one in crowd.marked[share::SHARES]:
        alone = await begun(stack, one.planter.number, crowd.fields)
        await play(stack.replicas[:1], alone)

        assert [told(reply) for reply in one.replies] == [told(reply) for reply in alone.replies]
        assert await told_of(stack, one.id) == await told_of(stack, alone.id)
        await stack.replicas[0].close(alone.id)


async def told_of(stack: Stack, episode: str) -> list[dict[str, Any]]:
    """Return an episode's trace, but for what depends on the moment."""
    trace = await stack.replicas[0].trace(episode)
    return [{name: record[name] for name in record if name not in CIRCUMSTANCES} for record in trace]
