"""The client: episodes of a CompanyOS server in five lines, blocking or on an event loop.

    with CompanyosEnv(base_url="http://localhost:8000") as env:
        result = env.reset(scenario="vendor_onboarding", seed=7)
        while not result.done:
            result = env.step(agent(result.observation))

`async with CompanyosEnv(...) as env` gives the same methods to await. A step that got no answer is sent again under
its number, so it happens once however often the network fails.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from ._conversation import CompanyosError as CompanyosError
from ._conversation import Episode, Pause, Plan
from ._conversation import EpisodeOver as EpisodeOver
from ._conversation import InvalidRequest as InvalidRequest
from ._conversation import NoEpisode as NoEpisode
from ._conversation import Observation as Observation
from ._conversation import Record as Record
from ._conversation import Refused as Refused
from ._conversation import Result as Result
from ._conversation import ServerUnreachable as ServerUnreachable
from ._conversation import StepsLost as StepsLost
from ._conversation import TokenRefused as TokenRefused
from ._conversation import Unavailable as Unavailable
from ._transport import (
    AsyncHttpTransport,
    AsyncSocketTransport,
    AsyncTransport,
    HttpTransport,
    SocketTransport,
    Transport,
)

DEFAULT_URL = "http://127.0.0.1:8000"
TOKEN_VARIABLE = "COMPANYOS_TRAINER_TOKEN"  # noqa: S105 - the name of a variable, not a token

T = TypeVar("T")


class Via(StrEnum):
    """What carries reset, step and state."""

    HTTP = "http"
    WEBSOCKET = "websocket"


class _Env:
    """What both clients share: where the server is, and the episode they are in."""

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        token: str | None = None,
        via: Via | str = Via.HTTP,
        timeout_s: float = 60.0,
        provider: None = None,
    ) -> None:
        """Name the server; nothing is sent before the first call.

        Args:
            base_url: The trainer door, for example `http://localhost:8000`.
            token: The trainer token; without it COMPANYOS_TRAINER_TOKEN, if the server wants one at all.
            via: What carries the episode: `http`, or `websocket`, which costs less per step.
            timeout_s: Longest wait for one answer.
            provider: Accepted because OpenEnv's AutoEnv passes it; there is nothing to provide.
        """
        self.base_url = base_url.rstrip("/")
        self._token = token or os.environ.get(TOKEN_VARIABLE) or None
        self._via = Via(via)
        self._timeout_s = timeout_s
        self._episode = Episode(self.base_url)

    @property
    def episode_id(self) -> str | None:
        """The current episode, or None before the first reset and after close."""
        return self._episode.id

    def _branch(self, episode: Episode) -> Self:
        """Return a client of its own for another episode of the same server."""
        client = type(self)(self.base_url, token=self._token, via=self._via, timeout_s=self._timeout_s)
        client._episode = episode
        return client


class CompanyosEnv(_Env):
    """Episodes of one server, blocking.

    Attributes:
        base_url: The trainer door.
    """

    _transport: Transport | None = None

    @classmethod
    def local(cls, **options: Any) -> Self:
        """Return a client of the stack on this machine, which is started unless it already runs.

        Args:
            options: As for the class, without `base_url` and `token`.

        Raises:
            StackError: The stack cannot start; the message says what to do.
        """
        from .embedded.detached import start_detached
        from .embedded.home import Home

        home = Home.at(None)
        stack = home.status() or start_detached(home, port=None)
        return cls(stack.url, token=stack.trainer_token, **options)

    def reset(self, **options: Any) -> Result:
        """Start an episode; the one before is closed unless it is done.

        Args:
            options: `scenario`, `seed`, `chaos`, `rewards`, `reward_mode`, `max_steps`, `size`, `episode_id`;
                or `snapshot`, the id of one to go on from, which decides all of these but the last.

        Raises:
            InvalidRequest: An option has no such value.
            Refused: There is no such scenario, or the server has no room.
            ServerUnreachable: No answer came.
        """
        return self._run(self._episode.reset(options))

    def step(self, action: Mapping[str, Any], *, timeout_s: float | None = None) -> Result:
        """Play one action, exactly once.

        Args:
            action: For example `{"tool_name": "ticketdesk_get_ticket", "arguments": {"ticket_id": "TD-1001"}}`.
            timeout_s: Longest time the server may take.

        Raises:
            NoEpisode: Nothing was reset, or the server has forgotten the episode.
            EpisodeOver: The episode is done.
            StepsLost: A crash of the server took steps that were answered; the next call goes on from where it stands.
            InvalidRequest: That is no action at all.
            Unavailable: Something the server needs is down; call again with the same action.
            ServerUnreachable: No answer came; call again with the same action.
        """
        return self._run(self._episode.step(action, timeout_s))

    def call(self, tool_name: str, **arguments: Any) -> Result:
        """Play the call of one tool; raises what `step` raises."""
        return self.step({"tool_name": tool_name, "arguments": arguments})

    def snapshot(self, name: str | None = None, *, pinned: bool = False) -> str:
        """Keep the whole world as it is now, and return the id to come back to it by.

        Args:
            name: What to call it in lists.
            pinned: Keep it however long nobody uses it.

        Raises:
            EpisodeOver: The episode is done.
        """
        return self._run(self._episode.snapshot(name, pinned=pinned))

    def restore(self, snapshot_id: str) -> Record:
        """Put the episode back to a snapshot, even if it is done, and return where it stands."""
        return self._run(self._episode.restore(snapshot_id))

    def fork(self, count: int) -> list[Self]:
        """Open `count` episodes that go on from here, each with a client of its own; this one goes on as well.

        Raises:
            EpisodeOver: The episode is done.
        """
        return [self._branch(episode) for episode in self._run(self._episode.fork(count))]

    def set_chaos(self, chaos: int | str | Mapping[str, Any]) -> Record:
        """Put another chaos in force from the next step on, and return where the episode stands.

        Args:
            chaos: A level (0-5), a preset's name or a profile. Faults of the company stay as they were at the start.

        Raises:
            InvalidRequest: There is no such chaos, this episode cannot take it, or it is done.
        """
        return self._run(self._episode.set_chaos(chaos))

    def drop(self, snapshot_id: str) -> None:
        """Forget a snapshot; what went on from it goes on."""
        self._run(self._episode.drop(snapshot_id))

    def export_snapshot(self, snapshot_id: str, path: str | os.PathLike[str]) -> None:
        """Write a snapshot to a file, which `import_snapshot` reads on any stack of the same release and salt.

        Args:
            snapshot_id: What `snapshot` returned.
            path: Where to; a file that is there is replaced once the snapshot is there in full.

        Raises:
            Refused: There is no such snapshot, or it is larger than any stack takes.
        """
        _replace(path, self._run(self._episode.export_snapshot(snapshot_id)))

    def import_snapshot(
        self, path: str | os.PathLike[str], *, name: str | None = None, pinned: bool = False
    ) -> str:
        """Make a file a snapshot of this server, and return its id: `reset` and `restore` go on from it as at home.

        Args:
            path: What `export_snapshot` wrote.
            name: What to call it in lists; as before unless given.
            pinned: Keep it however long nobody uses it.

        Raises:
            Refused: The server generates another starting company, or has other services (409).
            InvalidRequest: The file is damaged, or no such file.
            ServerUnreachable: No answer came; it may have been imported all the same.
        """
        archive = Path(path).read_bytes()
        return self._run(self._episode.import_snapshot(archive, name, pinned=pinned))

    def state(self) -> Record:
        """Return where the current episode stands: `step_count`, `max_steps`, `done`, `sim_now`, …"""
        return Record(self._run(self._episode.get("/state", {"episode_id": self._episode.here()})))

    def trace(self, episode_id: str | None = None) -> list[dict[str, Any]]:
        """Return the records of an episode, the current one unless named, in order."""
        path = f"/episodes/{episode_id or self._episode.here()}/trace"
        records: list[dict[str, Any]] = self._run(self._episode.get(path, {}))
        return records

    def grade(self, episode_id: str | None = None) -> Record:
        """Return the grade card of an episode, the current one unless named."""
        path = f"/episodes/{episode_id or self._episode.here()}/grade"
        return Record(self._run(self._episode.get(path, {})))

    def render(self, form: str = "text") -> Any:
        """Return the company as a person would look at it: `text`, `html` or `json`."""
        query = {"episode_id": self._episode.here(), "format": form}
        return self._run(self._episode.get("/render", query))

    def close(self) -> None:
        """Close the connection, and the episode unless it is done."""
        self._run(self._episode.leave())
        if self._transport is not None:
            self._transport.close()
            self._transport = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> AsyncCompanyosEnv:
        self._awaited = AsyncCompanyosEnv(
            self.base_url, token=self._token, via=self._via, timeout_s=self._timeout_s
        )
        return self._awaited

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self._awaited.close()

    def _run(self, plan: Plan[T]) -> T:
        if self._transport is None:
            opened = SocketTransport if self._via is Via.WEBSOCKET else HttpTransport
            self._transport = opened(self.base_url, self._token, self._timeout_s)
        outcome: Any = None
        try:
            while True:
                wanted = plan.send(outcome)
                if isinstance(wanted, Pause):
                    time.sleep(wanted.seconds)
                    outcome = None
                else:
                    outcome = self._transport.send(wanted)
        except StopIteration as end:
            result: T = end.value
            return result


class AsyncCompanyosEnv(_Env):
    """Episodes of one server on an event loop; one call at a time. The methods are those of `CompanyosEnv`.

    Attributes:
        base_url: The trainer door.
    """

    _transport: AsyncTransport | None = None

    async def reset(self, **options: Any) -> Result:
        """Start an episode; the one before is closed unless it is done."""
        return await self._run(self._episode.reset(options))

    async def step(self, action: Mapping[str, Any], *, timeout_s: float | None = None) -> Result:
        """Play one action, exactly once."""
        return await self._run(self._episode.step(action, timeout_s))

    async def call(self, tool_name: str, **arguments: Any) -> Result:
        """Play the call of one tool."""
        return await self.step({"tool_name": tool_name, "arguments": arguments})

    async def snapshot(self, name: str | None = None, *, pinned: bool = False) -> str:
        """Keep the whole world as it is now, and return the id to come back to it by."""
        return await self._run(self._episode.snapshot(name, pinned=pinned))

    async def restore(self, snapshot_id: str) -> Record:
        """Put the episode back to a snapshot, even if it is done, and return where it stands."""
        return await self._run(self._episode.restore(snapshot_id))

    async def fork(self, count: int) -> list[Self]:
        """Open `count` episodes that go on from here, each with a client of its own."""
        return [self._branch(episode) for episode in await self._run(self._episode.fork(count))]

    async def set_chaos(self, chaos: int | str | Mapping[str, Any]) -> Record:
        """Put another chaos in force from the next step on, and return where the episode stands."""
        return await self._run(self._episode.set_chaos(chaos))

    async def drop(self, snapshot_id: str) -> None:
        """Forget a snapshot; what went on from it goes on."""
        await self._run(self._episode.drop(snapshot_id))

    async def export_snapshot(self, snapshot_id: str, path: str | os.PathLike[str]) -> None:
        """Write a snapshot to a file, which `import_snapshot` reads on any stack of the same release and salt."""
        archive = await self._run(self._episode.export_snapshot(snapshot_id))
        await asyncio.to_thread(_replace, path, archive)

    async def import_snapshot(
        self, path: str | os.PathLike[str], *, name: str | None = None, pinned: bool = False
    ) -> str:
        """Make a file a snapshot of this server, and return its id: `reset` and `restore` go on from it as at home."""
        archive = await asyncio.to_thread(Path(path).read_bytes)
        return await self._run(self._episode.import_snapshot(archive, name, pinned=pinned))

    async def state(self) -> Record:
        """Return where the current episode stands."""
        return Record(await self._run(self._episode.get("/state", {"episode_id": self._episode.here()})))

    async def trace(self, episode_id: str | None = None) -> list[dict[str, Any]]:
        """Return the records of an episode, the current one unless named, in order."""
        path = f"/episodes/{episode_id or self._episode.here()}/trace"
        records: list[dict[str, Any]] = await self._run(self._episode.get(path, {}))
        return records

    async def grade(self, episode_id: str | None = None) -> Record:
        """Return the grade card of an episode, the current one unless named."""
        path = f"/episodes/{episode_id or self._episode.here()}/grade"
        return Record(await self._run(self._episode.get(path, {})))

    async def render(self, form: str = "text") -> Any:
        """Return the company as a person would look at it: `text`, `html` or `json`."""
        query = {"episode_id": self._episode.here(), "format": form}
        return await self._run(self._episode.get("/render", query))

    async def close(self) -> None:
        """Close the connection, and the episode unless it is done."""
        await self._run(self._episode.leave())
        if self._transport is not None:
            await self._transport.close()
            self._transport = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.close()

    async def _run(self, plan: Plan[T]) -> T:
        if self._transport is None:
            opened = AsyncSocketTransport if self._via is Via.WEBSOCKET else AsyncHttpTransport
            self._transport = opened(self.base_url, self._token, self._timeout_s)
        outcome: Any = None
        try:
            while True:
                wanted = plan.send(outcome)
                if isinstance(wanted, Pause):
                    await asyncio.sleep(wanted.seconds)
                    outcome = None
                else:
                    outcome = await self._transport.send(wanted)
        except StopIteration as end:
            result: T = end.value
            return result


def _replace(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that whoever opens it finds all of it, or what was there before."""
    there = Path(path)
    part = there.with_name(f"{there.name}.part")
    part.write_bytes(data)
    part.replace(there)
