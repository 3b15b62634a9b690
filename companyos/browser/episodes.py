"""Episodes that are played by pictures, behind the methods of the orchestrator's facade that OpenEnv's routes call.

An episode is one of a stack, with a window of Chromium of its own. A window that nobody uses any more is closed, and
its episode ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from companyos.client import CompanyosError, Refused, Result
from companyos.client.errors import Unavailable
from companyos.client.pages.chromium import BrowserGone, BrowserMissing
from companyos.client.pages.pixel_door import PixelDoor
from orchestrator.protocol.options import ResetOptions
from orchestrator.protocol.problems import Refusal, episode_unknown
from orchestrator.protocol.replies import Reply

from .environment import BrowserEnv
from .socket_rows import SocketRows

T = TypeVar("T")

#: A window that is unused for so long is closed, in seconds.
IDLE_S: Final = 300.0
SWEEP_S: Final = 15.0


@dataclass
class OpenEpisode:
    """An episode and its window.

    Attributes:
        env: Its client.
        uid: What tells it from others of its name.
        is_done: Whether it accepts no further action; then it has no window.
        used_at: When it was used last, by the event loop's clock.
    """

    env: BrowserEnv
    uid: str
    is_done: bool
    used_at: float
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class BrowserEpisodes:
    """The episodes of this process.

    Attributes:
        sessions: What sessions are told of names; here every name belongs to the socket that began the episode.

    Args:
        connect: Returns a client of the stack.
        scenarios: The stack's scenarios, as it lists them.
        limit: The most windows at once.
    """

    has_started = True

    def __init__(
        self, connect: Callable[[], BrowserEnv], scenarios: list[dict[str, Any]], *, limit: int
    ) -> None:
        self.sessions = SocketRows()
        self._connect = connect
        self._scenarios = scenarios
        self._limit = limit
        self._opening = 0
        self._open: dict[str, OpenEpisode] = {}
        self._threads = ThreadPoolExecutor(limit, thread_name_prefix="episode")

    @asynccontextmanager
    async def sweeping_windows(self) -> AsyncIterator[None]:
        """Close windows that nobody uses while the block runs, and all of them at its end."""
        sweeping = asyncio.create_task(self._sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            await asyncio.gather(*(self._close(each) for each in [*self._open]))
            self._threads.shutdown()

    def scenarios(self) -> list[dict[str, Any]]:
        """Return the stack's scenarios."""
        return self._scenarios

    def manifest(self) -> dict[str, Any]:
        """Return the actions of the browser as functions."""
        return {"tools": [{"function": {**card, "parameters": card["input_schema"]}} for card in cards()]}

    async def episode_tools(self, _: str) -> list[dict[str, Any]]:
        """Return the actions of the browser, which are those of every episode."""
        return cards()

    async def tools(self) -> Reply:
        """Return the actions of the browser as an answer without an episode."""
        return Reply({"text": PixelDoor.INSTRUCTIONS, "tools": cards()}, 0.0, False)

    async def reset(self, options: ResetOptions, *, player: str | None = None) -> Reply:
        """Start an episode, and open its first page in a window of its own.

        Raises:
            Refusal: 429 too_many_episodes, as the stack refuses, or if it or Chromium cannot be reached.
        """
        busy = sum(not each.is_done for each in self._open.values())
        if busy + self._opening >= self._limit:
            detail = (
                f"{busy} of {self._limit} windows are open; close one, or give the browser a higher --limit."
            )
            raise Refusal(429, "too_many_episodes", detail, retryable=True)
        self._opening += 1
        try:
            return await self._begin(options)
        finally:
            self._opening -= 1

    async def step(
        self,
        episode_id: str,
        action: Mapping[str, Any],
        *,
        step: int | None = None,
        timeout_s: float | None = None,
        uid: str | None = None,
    ) -> Reply:
        """Carry out an action of the browser.

        Raises:
            Refusal: 404 episode_unknown, 409 episode_replaced, 422 step_unknown (actions have no numbers), as the
                stack refuses, or if it or Chromium cannot be reached.
        """
        if step is not None:
            detail = "Actions of a browser have no numbers, since many are no step. Leave `step` out."
            raise Refusal(422, "step_unknown", detail, field="step")
        opened = self._find(episode_id, uid)
        output = action.get("action_str", action)
        async with opened.turn:
            result = await self._in_thread(partial(opened.env.step, output, timeout_s=timeout_s))
            opened.is_done, opened.used_at = result.done, _now()
            if result.done:
                await self._in_thread(opened.env.leave_pages)
        return reply_of(result)

    async def state(self, episode_id: str, *, uid: str | None = None) -> dict[str, Any]:
        """Return the state of an episode, as its stack tells it; raises as `step`."""
        opened = self._find(episode_id, uid)
        return dict(await self._in_thread(opened.env.state))

    async def abandon(self, episode_id: str, player: str) -> None:
        """Close the window of an episode that its player has left, which ends it."""
        await self._close(episode_id)

    async def close(self, episode_id: str, *, uid: str | None = None) -> None:
        """Close the window of an episode, which ends it."""
        await self._close(episode_id)

    async def _begin(self, options: ResetOptions) -> Reply:
        env = self._connect()
        try:
            wanted = options.model_dump(mode="json", exclude_unset=True)
            result = await self._in_thread(partial(env.reset, **wanted))
        except BaseException:
            await self._leave(env)
            raise
        episode_id: str = result.metadata["episode_id"]
        if replaced := self._open.pop(episode_id, None):
            replaced.env.detach()
            await self._leave(replaced.env)
        self._open[episode_id] = OpenEpisode(env, result.metadata["episode_uid"], result.done, _now())
        return reply_of(result)

    def _find(self, episode_id: str, uid: str | None) -> OpenEpisode:
        if (opened := self._open.get(episode_id)) is None:
            raise episode_unknown(episode_id)
        if uid not in (None, opened.uid):
            detail = f"Episode {episode_id!r} was replaced by another of its name."
            raise Refusal(409, "episode_replaced", detail, field="episode_uid")
        return opened

    async def _close(self, episode_id: str) -> None:
        if opened := self._open.pop(episode_id, None):
            async with opened.turn:
                await self._leave(opened.env)

    async def _leave(self, env: BrowserEnv) -> None:
        # What cannot be reached any more ends when it has been unused for long.
        with suppress(Refusal):
            await self._in_thread(env.close)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_S)
            unused = [name for name, each in self._open.items() if each.used_at < _now() - IDLE_S]
            for episode_id in unused:
                await self._close(episode_id)

    async def _in_thread(self, call: Callable[[], T]) -> T:
        """Return what a call of the blocking client returns, made in a thread; its error as a refusal."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        except CompanyosError as error:
            raise refusal_of(error) from error


def cards() -> list[dict[str, Any]]:
    """Return the actions of the browser, as an observation lists tools."""
    return [action.tool(name) for name, action in PixelDoor.ACTIONS.items()]


def reply_of(result: Result) -> Reply:
    """Return a result of the client as the orchestrator's facade answers."""
    return Reply(dict(result.observation), result.reward or 0.0, result.done, dict(result.metadata))


def refusal_of(error: CompanyosError) -> Refusal:
    """Return an error of the client as a refusal."""
    if isinstance(error, Refused):
        detail = str(error).removesuffix(f" ({error.code})")
        return Refusal(error.status, error.code, detail, retryable=isinstance(error, Unavailable))
    is_browser = isinstance(error, BrowserMissing | BrowserGone)
    return Refusal(503, "browser_unavailable" if is_browser else "stack_unreachable", str(error))


def _now() -> float:
    return asyncio.get_running_loop().time()
