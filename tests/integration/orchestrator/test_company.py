"""The real services under the real scenarios: solved by their oracles, the same alone and in a crowd."""

import asyncio
import importlib
import pkgutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from companyos.scenario import load_scenarios
from orchestrator.episodes.facade import Episodes, ResetOptions, open_episodes
from orchestrator.runtime.settings import Settings
from tests.live_services import ADMIN_TOKEN, CONTEXT_KEY, databases_in, serving
from tests.sizes import size, whole_proof

pytestmark = pytest.mark.proof

#: Scenario, seed and chaos level.
Task = tuple[str, int, int]
TASKS = [
    (name, seed, chaos)
    for name in load_scenarios()
    for seed in size((1,), (0, 1))
    for chaos in size((1,), (0, 1))
]


@pytest.fixture(scope="module")
async def orchestrators(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[list[Episodes]]:
    """Two orchestrators over the services there are, on databases of their own: others have other services."""
    async with AsyncExitStack() as stack:
        databases = stack.enter_context(databases_in(tmp_path_factory.mktemp("company")))
        databases.migrate()
        services = {}
        for package in pkgutil.iter_modules(importlib.import_module("services").__path__):
            app = importlib.import_module(f"services.{package.name}.app").create_app(
                databases.settings(package.name)
            )
            services[package.name] = await stack.enter_async_context(serving(app))
        settings = Settings.model_validate(
            {
                "database_url": databases.url("orchestrator"),
                "redis_url": databases.redis_url,
                "context_key": CONTEXT_KEY,
                "admin_token": ADMIN_TOKEN,
                "services": services,
                # Services and orchestrators share one event loop, in which companies are loaded meanwhile.
                "call_s": 60.0,
                "settle_s": 60.0,
            }
        )
        yield [await stack.enter_async_context(open_episodes(settings)) for _ in range(2)]


async def solved(episodes: Episodes, task: Task) -> dict[str, Any]:
    """Have a scenario's oracle play an instance, and return the last step's metadata without the episode's id."""
    name, seed, chaos = task
    reply = await episodes.reset(ResetOptions(scenario=name, seed=seed, chaos=chaos))
    episode_id = reply.metadata["episode_id"]
    script = load_scenarios()[name].oracle(reply.observation)
    action = next(script)
    while not (reply := await episodes.step(episode_id, action)).done:
        action = script.send(reply.observation)
    return {
        name: value
        for name, value in reply.metadata.items()
        if name not in ("episode_id", "episode_uid", "agent_token")
    }


@whole_proof
async def test_every_oracle_succeeds_alone_as_in_a_crowd_of_two_replicas(
    orchestrators: list[Episodes],
) -> None:
    alone = {task: await solved(orchestrators[0], task) for task in TASKS}

    crowd = [task for task in TASKS for _ in range(2)]
    together = await asyncio.gather(
        *(solved(orchestrators[number % 2], task) for number, task in enumerate(crowd))
    )

    assert [task for task, told in alone.items() if not told["success"]] == []
    assert [task for task, told in zip(crowd, together, strict=True) if told != alone[task]] == []


async def test_the_grade_is_the_same_read_from_memory_or_from_the_record(
    orchestrators: list[Episodes],
) -> None:
    first, second = orchestrators
    for name in load_scenarios():
        reply = await first.reset(ResetOptions(scenario=name, seed=3, chaos=1))
        episode_id = reply.metadata["episode_id"]
        script = load_scenarios()[name].oracle(reply.observation)
        action = next(script)
        for _ in range(6):
            if (reply := await first.step(episode_id, action)).done:
                break
            action = script.send(reply.observation)

        assert await first.grade(episode_id) == await second.grade(episode_id)
