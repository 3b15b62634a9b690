"""Continuations: what episodes begin with that continue from a snapshot, remembered by the process that read it last.

A snapshot never changes, nor do the steps before it, so all of this follows from its id and the trainer's options.
Whether the snapshot still exists is left to the statement that opens the episode.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ..agent.observations import observation, with_conversation
from ..protocol.options import ResetOptions
from ..protocol.problems import Refusal, ScenarioChanged
from ..protocol.records import Part, Snapshot, Start
from ..runtime.components import Components
from ..services.catalog import Catalog
from ..storage.snapshot_rows import SnapshotRows
from ..worlds.instances import InitialState
from ..worlds.shared_work import SharedWork

#: The text of all continuations that a process remembers, in characters; a long episode's has some 20,000. In memory
#: they take about five times as much.
MOST_CHARACTERS = 8_000_000

#: The fields of a start that options of the same reset may change, by the name of the option.
_FREE: Final = {
    "rewards": "profile",
    "reward_mode": "mode",
    "tools": "tools",
    "latency": "latency",
    "guidance": "guidance",
    "tools_format": "tools_format",
    "observation_format": "observation_format",
}


@dataclass(frozen=True)
class Continuation:
    """What an episode begins with that continues from a snapshot.

    Attributes:
        snapshot: The snapshot.
        start: The episode's start.
        first_hash: The hash of its start if it begins a new part; None if it goes on as before.
        seen: Its first observation, which tells the conversation so far.
    """

    snapshot: Snapshot
    start: Start
    first_hash: str | None
    seen: Mapping[str, Any]

    @property
    def hash(self) -> str:
        """The hash to which its next step is chained."""
        return self.first_hash or self.snapshot.hash


class Continuations:
    """The continuations that this process read last."""

    def __init__(self, components: Components, snapshots: SnapshotRows) -> None:
        self._components = components
        self._snapshots = snapshots
        self._kept: OrderedDict[Hashable, Continuation] = OrderedDict()
        self._characters = 0
        self._shared = SharedWork()

    async def of(self, snapshot_id: str, options: ResetOptions, by: str) -> Continuation:
        """Return how an episode continues from a snapshot, over a base that every service has.

        Args:
            snapshot_id: The snapshot, which may be gone if the process remembers it.
            options: The trainer's options, of which those that decide the world are not used.
            by: Who played up to the snapshot.

        Raises:
            Refusal: 404 snapshot_unknown, 422 invalid_start or tool_unknown.
        """
        key = (snapshot_id, by, options.max_steps, *_chosen_fields(options).items())
        if key not in self._kept:
            self._keep(key, await self._shared.once(key, lambda: self._read(snapshot_id, options, by)))
        self._kept.move_to_end(key)
        found = self._kept[key]
        await self._load_origin(found.snapshot)
        return found

    async def _read(self, snapshot_id: str, options: ResetOptions, by: str) -> Continuation:
        found = await self._snapshots.with_records(snapshot_id)
        if found is None:
            raise snapshot_unknown(snapshot_id)
        snapshot, records = found
        initial_state, catalog = await self._load_origin(snapshot)
        catalog.toolsets.refuse_unknown(options.tools)
        start, first_hash = self._start(snapshot, options, initial_state, catalog, by)
        tools = self._components.instances.tools_of(start, catalog, snapshot.chaos)
        seen = observation(
            initial_state.briefing(start, tools),
            step=snapshot.step,
            max_steps=start.max_steps,
            now=snapshot.now,
            elapsed_s=0,
        )
        return Continuation(snapshot, start, first_hash, with_conversation(seen, records))

    def _start(
        self,
        snapshot: Snapshot,
        options: ResetOptions,
        initial_state: InitialState,
        catalog: Catalog,
        by: str,
    ) -> tuple[Start, str | None]:
        """Return the start of an episode under these options, and its hash if it begins a new part."""
        instances, before = self._components.instances, snapshot.start
        limit = options.step_limit(snapshot.step, before.max_steps)
        start = replace(before, **_chosen_fields(options), max_steps=limit)
        if by == "agent" and start == before:
            return before, None
        if snapshot.step > before.played:
            _, first_hash = initial_state.first(before, instances.tools_of(before, catalog))
            part = Part.ending(before, snapshot.step, by, first_hash, snapshot.hash)
            start = replace(start, earlier=(*before.earlier, part))
        if start == before:
            return before, None
        return start, initial_state.first(start, instances.tools_of(start, catalog))[1]

    async def _load_origin(self, snapshot: Snapshot) -> tuple[InitialState, Catalog]:
        """Return the initial state of a snapshot's episode, whose base every service has, and all tools."""
        catalog, start = await self._components.catalogs.complete(), snapshot.start
        initial_state = await self._components.instances.initial_state(
            start.scenario, start.seed, start.chaos, start.size
        )
        if initial_state.base != snapshot.base:
            raise ScenarioChanged(
                "scenario", f"{start.scenario} changed since the snapshot. Restore its code"
            )
        await self._components.instances.load(initial_state, start, catalog)
        return initial_state, catalog

    def _keep(self, key: Hashable, continuation: Continuation) -> None:
        if key in self._kept:
            return
        self._kept[key] = continuation
        self._characters += _characters(continuation)
        while self._characters > MOST_CHARACTERS and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._characters -= _characters(oldest)


def snapshot_unknown(snapshot_id: str) -> Refusal:
    """Return the refusal of a request about an unknown snapshot."""
    detail = f"There is no snapshot {snapshot_id!r}. It was dropped, was unused for long, or never was."
    return Refusal(404, "snapshot_unknown", detail, field="snapshot_id")


def _chosen_fields(options: ResetOptions) -> dict[str, Any]:
    """Return the fields of a start that these options change, apart from its limit."""
    return {
        field: getattr(options, name) for name, field in _FREE.items() if name in options.model_fields_set
    }


def _characters(continuation: Continuation) -> int:
    return len(continuation.seen["text"])
