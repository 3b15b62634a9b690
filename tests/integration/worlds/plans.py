"""What solves a task: the calls its oracle makes, and the company it makes them in."""

from functools import cache
from typing import Any

from companyos.evaluation.agents import Oracle
from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import Action, Instance, load_scenarios

from .stack import Stack, episode_id

SALT = "companyos-public"
#: What was played before: an oracle plays an episode the same every time.
_plans: dict[tuple[Any, ...], list[Action]] = {}


@cache
def instance_of(scenario: str, seed: int, chaos: int) -> Instance:
    """Return an instance as the orchestrator makes it."""
    return load_scenarios()[scenario].generate(seed, parse_chaos(chaos), SALT, "default")


async def plan_of(stack: Stack, **options: Any) -> list[Action]:
    """Return the oracle's calls in an episode of these options, `finish` the last of them."""
    known = tuple(options[name] for name in ("scenario", "seed", "chaos"))
    if known not in _plans:
        _plans[known] = await _played_by_oracle(stack, options)
    return _plans[known]


async def _played_by_oracle(stack: Stack, options: dict[str, Any]) -> list[Action]:
    begun = reply = await stack.begin(**{**options, "max_steps": None})
    oracle = Oracle(load_scenarios()[options["scenario"]])
    oracle.start(begun.observation)
    plan = []
    while not reply.done:
        plan.append(oracle.act(reply.observation))
        reply = await stack.replicas[0].step(episode_id(begun), plan[-1])
    assert reply.metadata["success"]
    await stack.replicas[0].close(episode_id(begun))
    return plan
