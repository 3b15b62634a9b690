"""The blocking client for CompanyOS episodes.

    with CompanyosEnv(base_url="http://localhost:8000") as env:
        result = env.reset(scenario="vendor_onboarding", seed=7)
        while not result.done:
            result = env.step(agent(result.observation))

`CompanyosEnv.local()` returns a client of the stack on this machine and starts the stack if necessary.
`CompanyosEnv.from_docker_image()` returns a client of a stack in a container that stops with the client.
Entering the client with `async with` gives the same methods as coroutines. A step whose response was lost is
sent again under the same number, so it is played exactly once.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from .async_environment import AsyncCompanyosEnv as AsyncCompanyosEnv
from .base import DEFAULT_URL as DEFAULT_URL
from .base import BaseEnv, after_step, replace_file
from .base import Via as Via
from .cells.transports import CellTransports
from .conversation import Pause, Plan
from .drop_in import DropIn
from .errors import CompanyosError as CompanyosError
from .errors import EpisodeOver as EpisodeOver
from .errors import InvalidRequest as InvalidRequest
from .errors import NoEpisode as NoEpisode
from .errors import ProxyUnusable as ProxyUnusable
from .errors import Refused as Refused
from .errors import ServerUnreachable as ServerUnreachable
from .errors import StepsLost as StepsLost
from .errors import TokenRefused as TokenRefused
from .errors import Unavailable as Unavailable
from .errors import UnexpectedAnswer as UnexpectedAnswer
from .records import Observation as Observation
from .records import Record as Record
from .records import Result as Result
from .server import TOKEN_VARIABLE as TOKEN_VARIABLE
from .socket_transport import SocketTransport
from .transport import HttpTransport, Transport

T = TypeVar("T")


class CompanyosEnv(DropIn, BaseEnv):
    """Episodes of one server, blocking.

    Attributes:
        base_url: URL of the trainer API.
    """

    _transport: Transport | None = None

    def reset(self, /, **options: Any) -> Result:
        """Start an episode. An unfinished earlier one is closed.

        Args:
            options: `scenario`, `seed`, `chaos`, `rewards`, `reward_mode`, `max_steps`, `size`, `tools`,
                `guidance`. `start` starts within the oracle's solution: `{"calls": 12}`, `{"calls_left": 3}` or
                `{"until": "milestone:NAME"}`. `snapshot` is the id of a snapshot to continue from, which
                decides the world: scenario, seed, chaos and size. After either, returns count from there, and
                `max_steps="+6"` allows six steps. `tools` is what the agent is given: `scenario` (the default;
                those the scenario can need), `all`, or exactly the named ones. `guidance` is what the agent is told
                in addition to the brief: `none` (the default), `pointers` to the documents with the rules, or
                the rules in `full`. `tools_format` (`schemas` or `signatures`) and `observation_format` (`full`
                or `compact`) make the agent's texts longer or shorter. Also `episode_id`, and `replace` to
                replace an unfinished episode with that id.

        Raises:
            InvalidRequest: An option has an invalid value.
            Refused: The scenario is unknown, another client plays the episode, or the server is full.
            ServerUnreachable: No response arrived.
        """
        return self._run(self._episode.reset(options))

    def prefetch(self, seeds: Iterable[int], /, **options: Any) -> Record:
        """Prepare the companies of upcoming resets in the background, so these resets are fast.

        Nothing else changes: the resets would have generated the same companies.

        Args:
            seeds: The upcoming seeds, soonest first; at most 256.
            options: `scenario`, `chaos` and `size` as for `reset`. The other options of `reset` are allowed,
                too.

        Returns:
            How many companies are already `known`, now `queued`, and `refused` because they do not fit in
            addition to those in use. Resets prepare the refused ones as usual.

        Raises:
            InvalidRequest: A seed or an option has an invalid value; nothing is prepared.
            Refused: The scenario is unknown.
            ServerUnreachable: No response arrived.
        """
        return self._run(self._episode.prefetch(seeds, options))

    def tasks(self, split: str, start: int, stop: int) -> list[Record]:
        """Return tasks as rows of a dataset, each of which is the options of a reset.

        Beside these, a row has the keys by which samplers choose: its `group`, which is the scenario, and its
        `difficulty`, the most steps that the scenario's oracle needs.

        Args:
            split: `train`, `validation` or `test`.
            start: Index of the first task.
            stop: Index after the last; at most 10,000 more than `start`.

        Raises:
            InvalidRequest: There is no such split, or it has no such tasks.
        """
        return self._run(self._episode.tasks(split, start, stop))

    def attach(self, episode_id: str) -> Record:
        """Continue an episode that another client started, and return its state. Closing this client closes it.

        Raises:
            NoEpisode: There is no such episode.
        """
        return self._run(self._episode.attach(episode_id))

    def step(self, action: Any, *, timeout_s: float | None = None) -> Result:
        """Play a model's output, exactly once. Output that is not an action also counts as a step.

        Args:
            action: For example `{"tool_name": "ticketdesk_get_ticket", "arguments": {"ticket_id": "TD-1001"}}`, the
                same as JSON, a tool call of a chat library, or text.
            timeout_s: Longest time the server may take.

        Raises:
            NoEpisode: No episode was started, or the server no longer has it, or another client replaced it.
            EpisodeOver: The episode is done.
            StepsLost: A crash of the server lost acknowledged steps; the next call continues from its current state.
            Unavailable: The server is temporarily unavailable; call again with the same action.
            ServerUnreachable: No response arrived; call again with the same action.
        """
        return self._run(self._episode.step(action, timeout_s))

    def call(self, tool_name: str, /, **arguments: Any) -> Result:
        """Play one tool call; raises the same errors as `step`."""
        return self.step({"tool_name": tool_name, "arguments": arguments})

    def abandon(self) -> Result:
        """End the episode for an agent that will not act again, as after a failed `finish`; raises as `step` does."""
        return self.step({"type": "abandon"})

    def snapshot(self, name: str | None = None, *, pinned: bool = False) -> str:
        """Save the state of the episode and return the snapshot's id.

        Args:
            name: Name shown in lists.
            pinned: Never delete the snapshot for being unused.

        Raises:
            EpisodeOver: The episode is done.
        """
        return self._run(self._episode.snapshot(name, pinned=pinned))

    def restore(self, snapshot_id: str) -> Record:
        """Reset the episode to a snapshot, even if it is done, and return its state."""
        return self._run(self._episode.restore(snapshot_id))

    def fork(self, count: int = 1) -> list[Self]:
        """Open `count` episodes that continue from the current state, each with its own client. This one continues too.

        Raises:
            EpisodeOver: The episode is done.
        """
        return [self._branch(episode) for episode in self._run(self._episode.fork(count))]

    def set_chaos(self, chaos: int | str | Mapping[str, Any]) -> Record:
        """Change the chaos from the next step on, and return the state of the episode.

        Args:
            chaos: A level (0-5), the name of a preset, or a profile. Business faults stay as they were at the start.

        Raises:
            InvalidRequest: The chaos is unknown or not available in this episode, or the episode is done.
        """
        return self._run(self._episode.set_chaos(chaos))

    def drop(self, snapshot_id: str) -> None:
        """Delete a snapshot. Episodes that continued from it are unaffected."""
        self._run(self._episode.drop(snapshot_id))

    def export_snapshot(self, snapshot_id: str, path: str | os.PathLike[str]) -> None:
        """Write a snapshot to a file that `import_snapshot` reads on any stack of the same release and salt.

        Args:
            snapshot_id: Id returned by `snapshot`.
            path: Destination. An existing file is replaced once the snapshot is complete.

        Raises:
            Refused: The snapshot is unknown, or larger than any stack accepts.
        """
        replace_file(path, self._run(self._episode.export_snapshot(snapshot_id)))

    def import_snapshot(
        self, path: str | os.PathLike[str], *, name: str | None = None, pinned: bool = False
    ) -> str:
        """Import a snapshot from a file and return its id, for use with `reset` and `restore`.

        Args:
            path: File written by `export_snapshot`.
            name: Name shown in lists; by default the original name.
            pinned: Never delete the snapshot for being unused.

        Raises:
            Refused: The server generates a different starting company, or has different services (409).
            InvalidRequest: The file is damaged, or is not an exported snapshot.
            ServerUnreachable: No response arrived; the snapshot may have been imported anyway.
        """
        archive = Path(path).read_bytes()
        return self._run(self._episode.import_snapshot(archive, name, pinned=pinned))

    def state(self) -> Record:
        """Return the state of the current episode: `step_count`, `max_steps`, `done`, `sim_now`, …"""
        return Record(self._run(self._episode.get("/state", self._episode.where())))

    def trace(self, episode_id: str | None = None, *, after: int | None = None) -> list[dict[str, Any]]:
        """Return the records of an episode, by default the current one, in order; of the steps after one, if given."""
        path = self._episode.path("/trace", episode_id)
        records: list[dict[str, Any]] = self._run(self._episode.get(path, after_step(after), list))
        return records

    def grade(self, episode_id: str | None = None) -> Record:
        """Return the grade card of an episode, by default the current one; raise `StepsLost` as `step` does."""
        return self._run(self._episode.grade(episode_id))

    def advise(self, episode_id: str | None = None) -> Record:
        """For trainers: the oracle's `action` at this state, its calls `then`, `calls_left`; or None and `why`."""
        return self._run(self._episode.ask_oracle("advice", episode_id))

    def value(self, episode_id: str | None = None) -> Record:
        """Return whether the oracle solves the task from this state: `solvable`, `calls_left`. For trainers only."""
        return self._run(self._episode.ask_oracle("value", episode_id))

    def render(self, form: str = "text") -> Any:
        """Render the company as `text`, `html` or `json`."""
        query = {"episode_id": self._episode.here(), "format": form}
        expected = dict if form == "json" else str
        return self._run(self._episode.get("/render", query, expected))

    def close(self) -> None:
        """Close the connection, the episode unless it is done, and the container if one was started for this client."""
        try:
            leaving = self._episode.leave()
            if self._provider is None:
                self._run(leaving)
        finally:
            if self._transport is not None:
                self._transport.close()
                self._transport = None
            self._stop_container()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> AsyncCompanyosEnv:
        self._awaited = AsyncCompanyosEnv(**self._settings)
        return self._awaited

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            await self._awaited.close()
        finally:
            await asyncio.to_thread(self._stop_container)

    def _run(self, plan: Plan[T]) -> T:
        outcome: Any = None
        try:
            while True:
                wanted = plan.send(outcome)
                if isinstance(wanted, Pause):
                    time.sleep(wanted.seconds)
                    outcome = None
                else:
                    outcome = self._opened().send(wanted)
        except StopIteration as end:
            result: T = end.value
            return result

    def _opened(self) -> Transport:
        if self._transport is None:
            opened = SocketTransport if self._via is Via.WEBSOCKET else HttpTransport
            several = self._cells is not None
            self._transport = CellTransports(self._server, opened) if several else opened(self._server)
        return self._transport
