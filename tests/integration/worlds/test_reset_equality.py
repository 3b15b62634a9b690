"""However a world was treated, a reset gives the company and the first observation again, byte for byte."""

import asyncio
import random
from dataclasses import dataclass
from typing import Any

import orjson
import pytest

from companyos.sdk.scenario import Action
from orchestrator.episodes.facade import Episodes, Refusal, Reply
from tests.families import SOME_AND_CHAOS
from tests.forks import forked
from tests.sizes import size

from .malformed_calls import MalformedCaller
from .plans import instance_of, plan_of
from .plausible_calls import PlausibleCaller
from .stack import REPLICAS, Stack, episode_id, told
from .state import rows_of, state_of

ACTIONS = 55
AT_ONCE = 5
ROUNDS = size(1, 20)
BRANCHING = 0.1


@dataclass
class Mistreated:
    """An episode that is treated without any care, and the snapshots that were taken of it."""

    stack: Stack
    random: random.Random
    options: dict[str, Any]
    plan: list[Action]
    id: str
    kept: list[str]

    @property
    def episodes(self) -> Episodes:
        """Any of the replicas."""
        return self.stack.replicas[self.random.randrange(REPLICAS)]

    async def play(self, begun: Reply, *, actions: int) -> None:
        """Try so many actions, and branch on the way."""
        agent, seen = self._agent(begun), begun.observation
        for _ in range(actions):
            if self.random.random() < BRANCHING:
                await self._branch(begun)
            reply = await attempt(self.episodes, self.id, agent.act(seen))
            seen = seen if reply is None else reply.observation

    async def _branch(self, begun: Reply) -> None:
        """Keep the world, go back to one kept earlier, or play in a fork of it for a while."""
        match self.random.choice(("snapshot", "restore", "fork")):
            case "restore" if self.kept:
                await self.episodes.branches.restore(self.id, self.kept[-1])
            case "fork":
                [fork] = await forked(self.episodes.branches, self.id, 1)
                branch = Mistreated(self.stack, self.random, self.options, self.plan, fork, [])
                await branch.play(begun, actions=2)
            case _:
                self.kept.append((await self.episodes.branches.snapshot(self.id))["snapshot_id"])

    def _agent(self, begun: Reply) -> MalformedCaller:
        instance = instance_of(self.options["scenario"], self.options["seed"], self.options["chaos"])
        seed = str(self.random.random())
        return MalformedCaller(PlausibleCaller(seed, begun.observation["tools"], instance, self.plan))


async def attempt(episodes: Episodes, episode: str, action: Any) -> Reply | None:
    """Play what an agent came up with; None where it is no action at all."""
    try:
        return await episodes.step(episode, action)
    except Refusal as refused:
        if refused.code != "invalid_action":
            raise
        return None


async def tables_written(stack: Stack, episode: str, at_first: dict[str, Any]) -> set[str]:
    """Return the tables in which an episode's world is not what it was."""
    rows = await rows_of(stack, (await stack.replicas[0]._episode(episode)).chain)
    return {table for table in {*rows, *at_first} if rows.get(table) != at_first.get(table)}


async def equal_after_each_reset(stack: Stack, **options: Any) -> set[str]:
    """Mistreat an episode and reset it, again and again; return the tables that it had written to in between."""
    plan = await plan_of(stack, **options)
    first = begun = await stack.begin(**options)
    expected = await state_of(stack, stack.replicas[0], episode_id(first))
    wrong = Mistreated(stack, random.Random(str(options)), options, plan, episode_id(first), [])
    written: set[str] = set()
    for turn in range(ROUNDS):
        await wrong.play(begun, actions=ACTIONS)
        written |= await tables_written(stack, wrong.id, expected["rows"])
        begun = await stack.begin(turn % REPLICAS, **options, episode_id=wrong.id, replace=True)
        anew = await stack.begin((turn + 1) % REPLICAS, **options)

        for reset in (begun, anew):
            assert orjson.dumps(told(reset)) == orjson.dumps(told(first))
            assert await state_of(stack, stack.replicas[turn % REPLICAS], episode_id(reset)) == expected
        await stack.replicas[0].close(episode_id(anew))
    return written


@pytest.mark.proof
@pytest.mark.parametrize(("scenario", "chaos"), SOME_AND_CHAOS)
async def test_after_anything_a_reset_gives_the_same_company_and_first_observation(
    stack: Stack, scenario: str, chaos: int
) -> None:
    options = {"scenario": scenario, "chaos": chaos, "max_steps": 400}

    written = await asyncio.gather(
        *(equal_after_each_reset(stack, **options, seed=seed) for seed in range(AT_ONCE))
    )

    assert {table.partition(".")[0] for table in set.union(*written)} == set(stack.services)
