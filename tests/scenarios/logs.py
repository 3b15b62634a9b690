"""Action logs: recorded from the oracle on one stack, replayed on any, sequentially or concurrently."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import Action, call, find
from companyos.sdk.scripts.asking import Refused
from tests.patience import PATIENCE_S

_BUSY = (429, 503)


@dataclass(frozen=True)
class Log:
    """What was done in one episode, and the hash of the trace that it left."""

    scenario: str
    seed: int
    chaos: Any
    actions: tuple[Action, ...] = ()
    trace_hash: str = ""


async def played(url: str, cases: Sequence[Log], *, at_once: int) -> list[Log]:
    """Have the oracle play these cases, and return what it did."""
    return await _each(url, cases, at_once, _play)


async def carried_out(url: str, logs: Sequence[Log], *, at_once: int) -> list[Log]:
    """Carry out the same actions again, and return the logs with the hashes that came of it."""
    return await _each(url, logs, at_once, _carry_out)


async def begun(url: str, logs: Sequence[Log]) -> list[str]:
    """Carry out the first half of each log, and return the episodes' ids."""

    async def half(client: httpx.AsyncClient, log: Log) -> str:
        answer = await _reset(client, log)
        await _steps(client, answer, log.actions[: len(log.actions) // 2])
        return str(answer["metadata"]["episode_id"])

    return await _each(url, logs, 8, half)


async def ended(url: str, logs: Sequence[Log], episodes: Sequence[str]) -> list[str]:
    """Carry out the rest of each log in its episode, and return the hashes."""

    async def rest(client: httpx.AsyncClient, part: tuple[Log, str]) -> str:
        log, episode_id = part
        done = len(log.actions) // 2
        answer = {"metadata": {"episode_id": episode_id}, "observation": {"step": done}}
        return str((await _steps(client, answer, log.actions[done:]))["metadata"]["trace_hash"])

    return await _each(url, list(zip(logs, episodes, strict=True)), 8, rest)


async def _each(
    url: str, parts: Sequence[Any], at_once: int, work: Callable[..., Awaitable[Any]]
) -> list[Any]:
    seats = asyncio.Semaphore(at_once)
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client:

        async def seated(part: Any) -> Any:
            async with seats:
                return await work(client, part)

        return list(await asyncio.gather(*(seated(part) for part in parts)))


async def _play(client: httpx.AsyncClient, faulty: Log) -> Log:
    answer, actions, agent = await _reset(client, faulty), [], Oracle(find(faulty.scenario))
    agent.start(answer["observation"])
    while not answer["done"]:
        try:
            action = agent.act(answer["observation"])
        except Refused:
            action = call("finish")
        actions.append(action)
        answer = await _step(client, answer, action)
    await client.delete(f"/episodes/{answer['metadata']['episode_id']}")
    return Log(faulty.scenario, faulty.seed, faulty.chaos, tuple(actions), answer["metadata"]["trace_hash"])


async def _carry_out(client: httpx.AsyncClient, log: Log) -> Log:
    answer = await _steps(client, await _reset(client, log), log.actions)
    await client.delete(f"/episodes/{answer['metadata']['episode_id']}")
    return Log(log.scenario, log.seed, log.chaos, log.actions, answer["metadata"]["trace_hash"])


async def _reset(client: httpx.AsyncClient, faulty: Log) -> Any:
    return await _posted(
        client, "/reset", {"scenario": faulty.scenario, "seed": faulty.seed, "chaos": faulty.chaos}
    )


async def _steps(client: httpx.AsyncClient, answer: Any, actions: Sequence[Action]) -> Any:
    for action in actions:
        answer = await _step(client, answer, action)
    return answer


async def _step(client: httpx.AsyncClient, answer: Any, action: Action) -> Any:
    episode_id, number = answer["metadata"]["episode_id"], answer["observation"]["step"] + 1
    return await _posted(client, "/step", {"episode_id": episode_id, "step": number, "action": action})


async def _posted(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> Any:
    for attempt in range(20):
        response = await client.post(path, json=body)
        if response.status_code not in _BUSY:
            break
        await asyncio.sleep(0.05 * (attempt + 1))
    return response.raise_for_status().json()
