"""Clients where programs copy or share them: in forked processes, on one event loop after another, with any names."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from companyos import CompanyosEnv
from companyos.client import AsyncCompanyosEnv, CompanyosBatch, CompanyosError, Via

from .trainer_calls import LOOK

WAIT = {"tool_name": "wait", "arguments": {"seconds": 60}}


#: What cells of a notebook do, or a program that enters asyncio more than once.
NOTEBOOK = """
import asyncio, sys
from companyos.client import AsyncCompanyosEnv
env = AsyncCompanyosEnv(sys.argv[1], via=sys.argv[2])
asyncio.run(env.reset(seed=7))
for _ in range(3):
    print(asyncio.run(env.call("wait", seconds=60)).observation.step)
asyncio.run(env.close())
print(env.episode_id)
"""


def in_a_fork(work: Callable[[], Any]) -> Any:
    """Return what a function returns in a forked process, or the name and message of what it raises."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)

    def run() -> None:
        try:
            sending.send(work())
        except CompanyosError as error:
            sending.send((type(error).__name__, str(error)))

    process = context.Process(target=run)
    process.start()
    assert receiving.poll(60)
    found = receiving.recv()
    process.join(60)
    assert process.exitcode == 0
    return found


@pytest.mark.parametrize("via", list(Via))
def test_a_forked_process_neither_steps_nor_closes_its_parents_episode(url: str, via: Via) -> None:
    with CompanyosEnv(url, via=via) as env:
        env.reset(seed=7)
        env.step(LOOK)

        assert in_a_fork(lambda: env.step(LOOK))[0] == "NoEpisode"
        assert "forked" in in_a_fork(env.state)[1]
        assert in_a_fork(lambda: [env.episode_id, env.agent_access, env.detach()]) == [None, {}, None]
        assert in_a_fork(env.close) is None
        assert env.step(LOOK).observation.step == 2


@pytest.mark.parametrize("via", list(Via))
def test_a_forked_process_plays_an_episode_of_its_own(url: str, via: Via) -> None:
    with CompanyosEnv(url, via=via) as env:
        env.reset(seed=7)

        def play() -> Any:
            env.reset(seed=8)
            step = env.step(LOOK).observation.step
            found = env.episode_id, step
            env.close()
            return found

        episode_id, step = in_a_fork(play)

        assert (episode_id != env.episode_id, step) == (True, 1)
        assert env.step(LOOK).observation.step == 1
        assert httpx.get(f"{url}/episodes/{episode_id}").status_code == 404


def test_a_forked_process_takes_an_episode_over_when_it_says_so(url: str) -> None:
    with CompanyosEnv(url) as env:
        env.reset(seed=7)
        episode_id = str(env.episode_id)

        def play() -> int:
            env.attach(episode_id)
            return int(env.step(LOOK).observation.step)

        assert in_a_fork(play) == 1
        assert env.state().step_count == 1


def test_a_forked_batch_begins_without_episodes(url: str) -> None:
    batch = CompanyosBatch(url, 2)
    batch.reset([{"seed": 1}, {"seed": 2}])

    assert in_a_fork(lambda: batch.step([WAIT, WAIT]))[0] == "NoEpisode"
    assert in_a_fork(batch.close) is None
    assert [result.observation.step for result in batch.step([WAIT, WAIT])] == [1, 1]
    batch.close()


@pytest.mark.parametrize("via", list(Via))
def test_a_client_goes_on_in_another_event_loop(url: str, via: Via) -> None:
    # In a process of its own, because a connection whose event loop is closed cannot be closed without a warning.
    ran = subprocess.run(
        [sys.executable, "-c", NOTEBOOK, url, via], capture_output=True, text=True, timeout=60
    )

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["1", "2", "3", "None"]


@pytest.mark.parametrize("name", ["tool_name", "self", "cls", "timeout_s", "name", "arguments", "action"])
async def test_an_argument_of_a_tool_may_have_any_name(url: str, name: str) -> None:
    with CompanyosEnv(url) as env:
        env.reset(seed=7)
        told = env.call("wait", **{"seconds": 60, name: 1}).observation.error
    async with AsyncCompanyosEnv(url) as awaited:
        await awaited.reset(seed=7)
        same = (await awaited.call("wait", **{"seconds": 60, name: 1})).observation.error

    assert told == same
    assert told is not None
    assert (told["error_type"], name in told["message"]) == ("invalid_args", True)
