"""What solves a task: the calls its oracle makes, and the company it makes them in."""

from functools import cache
from typing import Any

from companyos.agents import Oracle
from companyos.chaos import parse_chaos
from companyos.scenario import Action, Instance, load_scenarios

from .stack import Stack, episode_id

SALT = "companyos-public"


@cache
def instance_of(scenario: str, seed: int, chaos: int) -> Instance:
    """Return an instance as the orchestrator makes it."""
    return load_scenarios()[scenario].generate(seed, parse_chaos(chaos), SALT, "default")


async def plan_of(stack: Stack, **options: Any) -> list[Action]:
    """Return the oracle's calls in an episode of these options, `finish` the last of them."""
    begun = reply = await stack.begin(**options)
    oracle = Oracle(load_scenarios()[options["scenario"]])
    oracle.start(begun.observation)
    plan = []
    while not reply.done:
        plan.append(oracle.act(reply.observation))
        reply = await stack.replicas[0].step(episode_id(begun), plan[-1])
    assert reply.metadata["success"]
    await stack.replicas[0].close(episode_id(begun))
    return plan
