"""The asynchronous client: the methods of `CompanyosEnv` as coroutines."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from .base import BaseEnv, Via, after_step, replace_file
from .cells.transports import AsyncCellTransports
from .conversation import Pause, Plan
from .records import Record, Result
from .socket_transport import AsyncSocketTransport
from .transport import AsyncHttpTransport, AsyncTransport

T = TypeVar("T")


class AsyncCompanyosEnv(BaseEnv):
    """Episodes of one server on an event loop, one call at a time. Its methods are those of `CompanyosEnv`.

    Attributes:
        base_url: URL of the trainer API.
    """

    _transport: AsyncTransport | None = None
    #: The event loop of the connection; None for one that was given.
    _loop: asyncio.AbstractEventLoop | None = None

    async def reset(self, /, **options: Any) -> Result:
        """Start an episode. An unfinished earlier one is closed."""
        return await self._run(self._episode.reset(options))

    async def prefetch(self, seeds: Iterable[int], /, **options: Any) -> Record:
        """Prepare the companies of upcoming resets in the background, so these resets are fast."""
        return await self._run(self._episode.prefetch(seeds, options))

    async def tasks(self, split: str, start: int, stop: int) -> list[Record]:
        """Return tasks as rows of a dataset, each of which is the options of a reset."""
        return await self._run(self._episode.tasks(split, start, stop))

    async def attach(self, episode_id: str) -> Record:
        """Continue an episode that another client started, and return its state."""
        return await self._run(self._episode.attach(episode_id))

    async def step(self, action: Any, *, timeout_s: float | None = None) -> Result:
        """Play one action, exactly once."""
        return await self._run(self._episode.step(action, timeout_s))

    async def call(self, tool_name: str, /, **arguments: Any) -> Result:
        """Play one tool call."""
        return await self.step({"tool_name": tool_name, "arguments": arguments})

    async def abandon(self) -> Result:
        """End the episode for an agent that will not act again, as after a failed `finish`."""
        return await self.step({"type": "abandon"})

    async def snapshot(self, name: str | None = None, *, pinned: bool = False) -> str:
        """Save the state of the episode and return the snapshot's id."""
        return await self._run(self._episode.snapshot(name, pinned=pinned))

    async def restore(self, snapshot_id: str) -> Record:
        """Reset the episode to a snapshot, even if it is done, and return its state."""
        return await self._run(self._episode.restore(snapshot_id))

    async def fork(self, count: int = 1) -> list[Self]:
        """Open `count` episodes that continue from the current state, each with its own client."""
        return [self._branch(episode) for episode in await self._run(self._episode.fork(count))]

    async def set_chaos(self, chaos: int | str | Mapping[str, Any]) -> Record:
        """Change the chaos from the next step on, and return the state of the episode."""
        return await self._run(self._episode.set_chaos(chaos))

    async def drop(self, snapshot_id: str) -> None:
        """Delete a snapshot. Episodes that continued from it are unaffected."""
        await self._run(self._episode.drop(snapshot_id))

    async def export_snapshot(self, snapshot_id: str, path: str | os.PathLike[str]) -> None:
        """Write a snapshot to a file that `import_snapshot` reads on any stack of the same release and salt."""
        archive = await self._run(self._episode.export_snapshot(snapshot_id))
        await asyncio.to_thread(replace_file, path, archive)

    async def import_snapshot(
        self, path: str | os.PathLike[str], *, name: str | None = None, pinned: bool = False
    ) -> str:
        """Import a snapshot from a file and return its id, for use with `reset` and `restore`."""
        archive = await asyncio.to_thread(Path(path).read_bytes)
        return await self._run(self._episode.import_snapshot(archive, name, pinned=pinned))

    async def state(self) -> Record:
        """Return the state of the current episode."""
        return Record(await self._run(self._episode.get("/state", self._episode.where())))

    async def trace(self, episode_id: str | None = None, *, after: int | None = None) -> list[dict[str, Any]]:
        """Return the records of an episode, by default the current one, in order; of the steps after one, if given."""
        path = self._episode.path("/trace", episode_id)
        records: list[dict[str, Any]] = await self._run(self._episode.get(path, after_step(after), list))
        return records

    async def grade(self, episode_id: str | None = None) -> Record:
        """Return the grade card of an episode, by default the current one; raise `StepsLost` as `step` does."""
        return await self._run(self._episode.grade(episode_id))

    async def advise(self, episode_id: str | None = None) -> Record:
        """For trainers: the oracle's `action` at this state, its calls `then`, `calls_left`; or None and `why`."""
        return await self._run(self._episode.ask_oracle("advice", episode_id))

    async def value(self, episode_id: str | None = None) -> Record:
        """Return whether the oracle solves the task from this state: `solvable`, `calls_left`. For trainers only."""
        return await self._run(self._episode.ask_oracle("value", episode_id))

    async def render(self, form: str = "text") -> Any:
        """Render the company as `text`, `html` or `json`."""
        query = {"episode_id": self._episode.here(), "format": form}
        expected = dict if form == "json" else str
        return await self._run(self._episode.get("/render", query, expected))

    async def close(self) -> None:
        """Close the connection, the episode unless it is done, and the container if one was started for this client."""
        try:
            leaving = self._episode.leave()
            if self._provider is None:
                await self._run(leaving)
        finally:
            if self._transport is not None:
                await self._opened().close()
                self._transport = None
            await asyncio.to_thread(self._stop_container)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.close()

    async def _run(self, plan: Plan[T]) -> T:
        outcome: Any = None
        try:
            while True:
                wanted = plan.send(outcome)
                if isinstance(wanted, Pause):
                    await asyncio.sleep(wanted.seconds)
                    outcome = None
                else:
                    outcome = await self._opened().send(wanted)
        except StopIteration as end:
            result: T = end.value
            return result

    def _opened(self) -> AsyncTransport:
        """Return the connection of the running event loop; those of others cannot be used on it, nor closed."""
        loop = asyncio.get_running_loop()
        if self._transport is not None and self._loop not in (None, loop):
            self._transport.abandon()
            self._transport = None
        if self._transport is None:
            opened = AsyncSocketTransport if self._via is Via.WEBSOCKET else AsyncHttpTransport
            several = self._cells is not None
            self._transport = AsyncCellTransports(self._server, opened) if several else opened(self._server)
            self._loop = loop
        return self._transport
