"""Branching of episodes through the trainer API: snapshots, restores, forks, and resets from a snapshot."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

from companyos.sdk.simtime import to_iso

from ..agent.observations import observation, with_conversation
from ..protocol.agent_tokens import agent_access
from ..protocol.options import ResetOptions
from ..protocol.problems import Refusal, ScenarioChanged, episode_unknown
from ..protocol.records import Episode, Part, Snapshot, Start
from ..protocol.replies import Reply, episode_done, summary_of
from ..runtime.capacity import Capacity
from ..runtime.components import Components
from ..runtime.in_flight import working
from ..services.catalog import Catalog
from ..step.steps import GIVE_UP_S
from ..storage.names import Name, new_episode_id
from ..storage.snapshot_rows import SnapshotRows
from ..worlds.instances import InitialState

LONGEST_PAGE = 200


class Branches:
    """Takes snapshots of worlds, restores them and forks them, but never during one of their steps."""

    def __init__(self, components: Components, capacity: Capacity) -> None:
        self._components = components
        self._capacity = capacity
        self._snapshots = SnapshotRows(components.store)

    async def snapshot(
        self, episode_id: str, *, name: str | None = None, pinned: bool = False
    ) -> dict[str, Any]:
        """Take a snapshot of an episode's whole world and return it, with its `snapshot_id`.

        Raises:
            Refusal: 404 episode_unknown, 409 step_in_progress or episode_done.
        """
        async with self._working("snapshot"):
            taken = await self._snapshots.take(episode_id, name=name, pinned=pinned)
            if taken is None:
                raise await self._not_now(episode_id)
        return snapshot_document(taken)

    async def restore(self, episode_id: str, snapshot_id: str) -> dict[str, Any]:
        """Restore an episode, finished or not, to a snapshot, and return its state.

        Raises:
            Refusal: 404 episode_unknown or snapshot_unknown, 409 step_in_progress.
        """
        async with self._working("restore"):
            restored = await self._snapshots.restore(snapshot_id, episode_id, after_s=GIVE_UP_S)
            if restored is None:
                await self._found(snapshot_id)
                raise await self._not_now(episode_id, even_done=True)
            await self._components.garbage.added()
        return summary_of(restored)

    async def fork(self, episode_id: str, count: int) -> list[dict[str, Any]]:
        """Open episodes that continue independently from the state of another.

        Returns:
            The `episode_id`, `episode_uid`, `agent_token` and `agent_urls` of each.

        Raises:
            Refusal: 404 episode_unknown, 409 step_in_progress or episode_done, 429 too_many_episodes.
        """
        async with self._working("fork"):
            self._capacity.take(count)
            opened = await self._snapshots.fork(episode_id, count)
            if not opened:
                raise await self._not_now(episode_id)
        url = self._components.agent_url
        return [
            {"episode_id": name.id, "episode_uid": name.uid, **agent_access(name.agent_token, url)}
            for name in opened
        ]

    async def reset(self, options: ResetOptions, snapshot_id: str, player: str | None = None) -> Reply:
        """Start an episode that continues from a snapshot; see `Episodes.reset`.

        Raises:
            Refusal: 404 snapshot_unknown, 409 episode_exists, 422 snapshot_decides, invalid_start or tool_unknown,
                429 too_many_episodes.
        """
        _refuse_world_options(options)
        return await self.go_on(options, snapshot_id, player)

    async def go_on(
        self, options: ResetOptions, snapshot_id: str, player: str | None, *, by: str = "agent"
    ) -> Reply:
        """Start an episode from a snapshot; see `reset`.

        Options that do not change the world begin a new part of the episode, whose returns count from here.

        Args:
            options: The trainer's options, of which those that decide the world are not used.
            snapshot_id: The snapshot.
            player: The socket or session that will play the episode.
            by: Who played up to the snapshot.
        """
        async with self._working("reset"):
            snapshot = await self._found(snapshot_id)
            initial_state, catalog = await self._loaded(snapshot)
            catalog.toolsets.refuse_unknown(options.tools)
            start, first_hash = self._continued(snapshot, options, initial_state, catalog, by)
            self._capacity.take()
            name = Name(options.episode_id or new_episode_id(), player, options.replace)
            episode = await self._opened(snapshot, name, start, first_hash)
            records = await self._components.store.records(episode)
        self._components.metrics.resets.labels(start.scenario).inc()
        tools = self._components.instances.tools_of(start, catalog, snapshot.chaos)
        seen = observation(
            initial_state.briefing(start, tools),
            step=snapshot.step,
            max_steps=start.max_steps,
            now=snapshot.now,
            elapsed_s=0,
        )
        access = agent_access(name.agent_token, self._components.agent_url)
        metadata = {**_metadata(episode, snapshot, options), **access}
        return Reply(with_conversation(seen, records), 0.0, False, metadata)

    async def snapshots(
        self, *, name: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> dict[str, Any]:
        """Return a page of snapshots, oldest first: items and next_cursor."""
        after = 0 if cursor is None else _number(cursor)
        async with self._working("list"):
            found = await self._snapshots.listed(after=after, name=name, limit=min(limit, LONGEST_PAGE))
        next_cursor = str(found[-1].number) if len(found) == limit else None
        return {"items": [snapshot_document(one) for one in found], "next_cursor": next_cursor}

    async def kept(self, snapshot_id: str) -> dict[str, Any]:
        """Return one snapshot.

        Raises:
            Refusal: 404 snapshot_unknown.
        """
        async with self._working("list"):
            return snapshot_document(await self._found(snapshot_id))

    async def drop(self, snapshot_id: str) -> None:
        """Delete a snapshot; episodes that continue from it are unaffected.

        Raises:
            Refusal: 404 snapshot_unknown.
        """
        async with self._working("drop"):
            if not await self._snapshots.drop(snapshot_id):
                raise snapshot_unknown(snapshot_id)
            await self._components.garbage.added()

    def _working(self, work: str) -> AbstractAsyncContextManager[None]:
        return working(self._components.in_flight, self._components.metrics, work)

    async def _found(self, snapshot_id: str) -> Snapshot:
        snapshot = await self._snapshots.find(snapshot_id)
        if snapshot is None:
            raise snapshot_unknown(snapshot_id)
        return snapshot

    async def _opened(self, snapshot: Snapshot, name: Name, start: Start, first_hash: str) -> Episode:
        begins = start.played == snapshot.step and start != snapshot.start
        episode = await self._snapshots.open(snapshot.id, name, start, first_hash if begins else None)
        if episode is not None:
            return episode
        await self._components.store.refuse_taken(name)
        raise snapshot_unknown(snapshot.id)

    def _continued(
        self,
        snapshot: Snapshot,
        options: ResetOptions,
        initial_state: InitialState,
        catalog: Catalog,
        by: str,
    ) -> tuple[Start, str]:
        """Return the start of an episode that continues from a snapshot under these options, and its first hash."""
        instances, before = self._components.instances, snapshot.start
        _, first_hash = initial_state.first(before, instances.tools_of(before, catalog))
        start = replace(before, **_chosen_fields(options, snapshot))
        if by == "agent" and start == before:
            return before, first_hash
        if snapshot.step > before.played:
            part = Part.ending(before, snapshot.step, by, first_hash, snapshot.hash)
            start = replace(start, earlier=(*before.earlier, part))
        return start, initial_state.first(start, instances.tools_of(start, catalog))[1]

    async def _loaded(self, snapshot: Snapshot) -> tuple[InitialState, Catalog]:
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

    async def _not_now(self, episode_id: str, *, even_done: bool = False) -> Refusal:
        episode = await self._components.store.episode(episode_id)
        if episode is None:
            return episode_unknown(episode_id)
        if episode.done and not even_done:
            return episode_done(episode)
        detail = "A step of this episode is under way. Wait for its answer, or send that same step again."
        return Refusal(409, "step_in_progress", detail, retryable=True)


def snapshot_unknown(snapshot_id: str) -> Refusal:
    """Return the refusal of a request about an unknown snapshot."""
    detail = f"There is no snapshot {snapshot_id!r}. It was dropped, was unused for long, or never was."
    return Refusal(404, "snapshot_unknown", detail, field="snapshot_id")


def base_lost(snapshot_id: str, service: str) -> Refusal:
    """Return the refusal of a request about a snapshot whose starting company is gone."""
    detail = (
        f"The service {service} lost the company that this snapshot builds on, so {snapshot_id!r} is gone. "
        "Send reset and play again; archives exported before can still be imported."
    )
    return Refusal(404, "snapshot_unknown", detail, field="snapshot_id")


def _refuse_world_options(options: ResetOptions) -> None:
    decided = options.model_fields_set & {"scenario", "seed", "chaos", "size", "start"}
    if clash := sorted(decided):
        detail = f"The snapshot decides {clash[0]}; leave it out, or start without a snapshot."
        raise Refusal(422, "snapshot_decides", detail, field=clash[0])


#: The fields of a start that options of the same reset may change, by the name of the option.
_FREE = {
    "rewards": "profile",
    "reward_mode": "mode",
    "tools": "tools",
    "latency": "latency",
    "guidance": "guidance",
    "tools_format": "tools_format",
    "observation_format": "observation_format",
}


def _chosen_fields(options: ResetOptions, snapshot: Snapshot) -> dict[str, Any]:
    """Return the fields of the snapshot's start that these options change."""
    chosen = {
        field: getattr(options, name) for name, field in _FREE.items() if name in options.model_fields_set
    }
    return {**chosen, "max_steps": options.step_limit(snapshot.step, snapshot.start.max_steps)}


def _metadata(episode: Episode, snapshot: Snapshot, options: ResetOptions) -> dict[str, Any]:
    start = episode.start
    return {
        "episode_id": episode.id,
        "episode_uid": episode.uid,
        "scenario": start.scenario,
        "version": start.version,
        "seed": start.seed,
        "chaos": episode.chaos.level,
        "chaos_name": episode.chaos.name,
        "max_steps": start.max_steps,
        "trace_hash": episode.hash,
        "snapshot_id": snapshot.id,
        "ignored": options.ignored,
    }


def snapshot_document(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot as trainers see it."""
    start = snapshot.start
    return {
        "snapshot_id": snapshot.id,
        "name": snapshot.name,
        "pinned": snapshot.pinned,
        "episode_id": snapshot.episode,
        "scenario": start.scenario,
        "version": start.version,
        "seed": start.seed,
        "chaos": snapshot.chaos.level,
        "max_steps": start.max_steps,
        "step_count": snapshot.step,
        "sim_now": to_iso(snapshot.now),
        "layers": snapshot.layers,
        "trace_hash": snapshot.hash,
    }


def _number(cursor: str) -> int:
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 18:
        raise Refusal(422, "invalid_cursor", "Pass `next_cursor` of the previous page.", field="cursor")
    return int(cursor)
