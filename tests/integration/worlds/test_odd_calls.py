"""The search for calls on which the company fails: whatever an agent sends is a step or a clear refusal."""

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson
import pytest

from companyos.sdk.scenario import load_scenarios
from orchestrator.episodes.facade import Refusal, Reply
from tests.sizes import size

from .odd_calls import OddCaller
from .plans import instance_of
from .plausible_calls import PlausibleCaller
from .stack import Stack, episode_id

SCENARIOS = sorted(load_scenarios())
LEVELS = (0, 5)
#: Calls in total, and in an episode.
CALLS = size(300, 60_000)
STEPS = size(20, 120)
SEED = os.environ.get("SEARCH_SEED", "1")
AT_ONCE = 8
RETRIES = 3


@dataclass
class Search:
    """What was called, and what went wrong."""

    calls: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    tools: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def fail(self, why: str, action: Any) -> None:
        """Note a call that the company did not deal with."""
        self.failures.append(f"{why}: {orjson.dumps(action).decode()[:600]}")
        # A whole search takes long; what it finds is of use at once.
        print(self.failures[-1], flush=True)


async def answered(ask: Callable[[], Awaitable[Reply]]) -> Reply:
    """Send a request, and again as clients do: this machine may be busy, which the call has no part in."""
    for _ in range(RETRIES):
        try:
            return await ask()
        except Refusal as refusal:
            if not refusal.retryable:
                raise
    return await ask()


async def played(stack: Stack, search: Search, number: int) -> None:
    """Play odd calls in one episode until it ends, or one of them fails."""
    options = {"scenario": SCENARIOS[number % len(SCENARIOS)], "seed": number // len(SCENARIOS) % 40}
    chaos = LEVELS[number // len(SCENARIOS) % len(LEVELS)]
    begin = partial(stack.begin, replica=number % 2, **options, chaos=chaos, max_steps=STEPS)
    begun, episodes = await answered(begin), stack.replicas[number % 2]
    tools, name = begun.observation["tools"], episode_id(begun)
    instance = instance_of(options["scenario"], options["seed"], chaos)
    caller = OddCaller(PlausibleCaller(f"{SEED}/{number}", tools, instance), tools)
    steps, done = 0, False
    while not done and steps < STEPS:
        action = caller.act()
        search.calls += 1
        search.tools[str(action["tool_name"])] += 1
        try:
            reply = await answered(partial(episodes.step, name, action))
        except Refusal as refusal:
            search.codes[refusal.code] += 1
            if refusal.status != 422:
                search.fail(f"{refusal.status} {refusal.code} {refusal.detail}", action)
                break
            continue
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
            search.fail(repr(error), action)
            break
        steps, done = steps + 1, reply.done
        error = reply.observation["error"] or {}
        search.codes[error.get("code", "ok")] += 1
        if "defects" in reply.metadata or reply.metadata["invalid"] or reply.observation["step"] != steps:
            search.fail(str(reply.metadata.get("invalid_reason") or reply.metadata.get("defects")), action)
        caller.see(reply.observation)
    await episodes.close(name)


@pytest.fixture(scope="module")
async def search(stack: Stack) -> Search:
    found, numbers = Search(), iter(range(10**9))

    async def worker() -> None:
        while found.calls < CALLS:
            await played(stack, found, next(numbers))

    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    print(found.calls, found.codes.most_common())
    return found


@pytest.mark.proof
async def test_odd_calls_fail_no_service_and_leave_no_step_open(search: Search) -> None:
    assert search.failures == []


@pytest.mark.proof
async def test_the_search_reaches_the_services_with_odd_calls_and_gets_results_too(search: Search) -> None:
    assert search.codes["ok"] > search.calls / 10
    assert search.codes.total() - search.codes["ok"] - search.codes["invalid_arguments"] > search.calls / 20
    assert len(search.tools) > size(60, 100)
