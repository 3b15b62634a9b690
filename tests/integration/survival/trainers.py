"""Trainers that number their steps and send each until it is answered, however often the stack is away."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import httpx

from companyos.client import AsyncCompanyosEnv, Refused, Result, ServerUnreachable, Unavailable, Via
from tests.patience import PATIENCE_S

#: Longest wait for one answer, over all attempts; more than this is a stuck episode.
PAUSE_S = 0.05
ONE_CALL_S = 30.0

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """What came of a reset or a step."""

    observation: dict[str, Any]
    reward: float | None
    done: bool
    metadata: dict[str, Any]


class Told(Exception):
    """The server says no, and that the same request will not do."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code


class Stuck(Exception):
    """No answer came within our patience."""


class Trainer(Protocol):
    """Plays episodes, one at a time."""

    async def reset(self, options: dict[str, Any]) -> Answer:
        """Begin an episode."""

    async def step(self, action: Any, number: int) -> Answer:
        """Play its next action.

        Raises:
            Told: The server does not take it.
        """

    async def close(self) -> None:
        """Let go of connections."""


class PlainTrainer:
    """A trainer that knows nothing but HTTP."""

    def __init__(self, url: str) -> None:
        self._http = httpx.AsyncClient(base_url=url, timeout=ONE_CALL_S, trust_env=False)
        self.episode_id = ""

    async def reset(self, options: dict[str, Any]) -> Answer:
        """Begin an episode."""
        answer = await self._answered("/reset", options)
        self.episode_id = answer.metadata["episode_id"]
        return answer

    async def step(self, action: Any, number: int) -> Answer:
        """Play its next action."""
        body = {"episode_id": self.episode_id, "action": action, "step": number}
        return await self._answered("/step", body)

    async def is_free(self, action: Any, number: int) -> bool:
        """Send a step, and tell whether it is not another action that holds it."""
        body = {"episode_id": self.episode_id, "action": action, "step": number}

        async def once() -> bool | None:
            try:
                told = (await self._http.post("/step", json=body)).json()
            except httpx.TransportError:
                return None
            return None if told.get("status") == 503 else told.get("type") != "step_in_progress"

        return await patiently(once)

    async def close(self) -> None:
        """Let go of connections."""
        await self._http.aclose()

    async def _answered(self, path: str, body: dict[str, Any]) -> Answer:
        async def once() -> Answer | None:
            try:
                response = await self._http.post(path, json=body)
            except httpx.TransportError:
                return None
            return _read(response)

        return await patiently(once)


class LibraryTrainer:
    """A trainer that uses our client, over HTTP or a WebSocket, and calls again when it says so."""

    def __init__(self, url: str, via: Via) -> None:
        self._env = AsyncCompanyosEnv(url, via=via, timeout_s=ONE_CALL_S)

    async def reset(self, options: dict[str, Any]) -> Answer:
        """Begin an episode."""
        return await self._answered(lambda: self._env.reset(**options))

    async def step(self, action: Any, number: int) -> Answer:
        """Play its next action; the client counts."""
        return await self._answered(lambda: self._env.step(action))

    async def close(self) -> None:
        """Let go of connections."""
        await self._env.close()

    async def _answered(self, send: Callable[[], Awaitable[Result]]) -> Answer:
        async def once() -> Answer | None:
            try:
                result = await send()
            except (ServerUnreachable, Unavailable):
                return None
            except Refused as refused:
                if refused.code == "step_in_progress":
                    return None
                raise Told(refused.status, refused.code, str(refused)) from refused
            return Answer(dict(result.observation), result.reward, result.done, dict(result.metadata))

        return await patiently(once)


async def patiently(once: Callable[[], Awaitable[T | None]]) -> T:
    """Ask until there is an answer.

    Raises:
        Stuck: There is none.
    """
    try:
        async with asyncio.timeout(PATIENCE_S):
            while (answer := await once()) is None:
                await asyncio.sleep(PAUSE_S)
            return answer
    except TimeoutError:
        raise Stuck(f"no answer within {PATIENCE_S:.0f} s") from None


def _read(response: httpx.Response) -> Answer | None:
    body = response.json()
    if response.is_success:
        return Answer(body["observation"], body["reward"], body["done"], body["metadata"])
    if body.get("retryable"):
        return None
    raise Told(response.status_code, str(body.get("type")), str(body.get("detail")))


def all_kinds(url: str, count: int) -> list[Trainer]:
    """Return so many trainers: half of them plain, the others using our client, every other one over a socket."""
    makers: list[Callable[[], Trainer]] = [
        lambda: PlainTrainer(url),
        lambda: LibraryTrainer(url, Via.WEBSOCKET),
        lambda: PlainTrainer(url),
        lambda: LibraryTrainer(url, Via.HTTP),
    ]
    return [makers[number % len(makers)]() for number in range(count)]
