"""Branching of episodes through the trainer API: snapshots, restores, forks, and resets from a snapshot."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

from companyos.sdk.simtime import to_iso

from ..protocol.agent_tokens import agent_access
from ..protocol.options import ResetOptions
from ..protocol.problems import Refusal, episode_unknown
from ..protocol.records import Snapshot
from ..protocol.replies import Reply, episode_done, summary_of
from ..runtime.capacity import Capacity
from ..runtime.components import Components
from ..runtime.in_flight import working
from ..step.steps import GIVE_UP_S
from ..storage.names import Name
from ..storage.snapshot_rows import SnapshotRows
from .continuations import Continuation, Continuations, snapshot_unknown

LONGEST_PAGE = 200


class Branches:
    """Takes snapshots of worlds, restores them and forks them, but never during one of their steps."""

    def __init__(self, components: Components, capacity: Capacity) -> None:
        self._components = components
        self._capacity = capacity
        self._snapshots = SnapshotRows(components.store)
        self._continuations = Continuations(components, self._snapshots)

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
            Refusal: 404 episode_unknown or snapshot_unknown, 409 step_in_progress or snapshot_differs.
        """
        async with self._working("restore"):
            restored = await self._snapshots.restore(snapshot_id, episode_id, after_s=GIVE_UP_S)
            if restored is None:
                snapshot = await self._find_snapshot(snapshot_id)
                raise await self._not_restorable(episode_id, snapshot)
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
            found = await self._continuations.of(snapshot_id, options, by)
            self._capacity.take()
            name = self._components.store.names.episode(
                options.episode_id, player, replace=options.replace, key=options.idempotency_key
            )
            await self._open(found, name)
        self._components.metrics.resets.labels(found.start.scenario).inc()
        access = agent_access(name.agent_token, self._components.agent_url)
        return Reply(dict(found.seen), 0.0, False, {**_metadata(name, found, options), **access})

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
            return snapshot_document(await self._find_snapshot(snapshot_id))

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

    async def _find_snapshot(self, snapshot_id: str) -> Snapshot:
        snapshot = await self._snapshots.find(snapshot_id)
        if snapshot is None:
            raise snapshot_unknown(snapshot_id)
        return snapshot

    async def _open(self, found: Continuation, name: Name) -> None:
        if await self._snapshots.open(found.snapshot.id, name, found.start, found.first_hash):
            return
        await self._components.store.refuse_taken(name)
        raise snapshot_unknown(found.snapshot.id)

    async def _not_restorable(self, episode_id: str, snapshot: Snapshot) -> Refusal:
        episode = await self._components.store.episode(episode_id)
        if episode is None:
            return episode_unknown(episode_id)
        return _step_in_progress() if episode.base == snapshot.base else _snapshot_differs(snapshot)

    async def _not_now(self, episode_id: str) -> Refusal:
        episode = await self._components.store.episode(episode_id)
        if episode is None:
            return episode_unknown(episode_id)
        return episode_done(episode) if episode.done else _step_in_progress()


def _step_in_progress() -> Refusal:
    detail = "A step of this episode is under way. Wait for its answer, or send that same step again."
    return Refusal(409, "step_in_progress", detail, retryable=True)


def _snapshot_differs(snapshot: Snapshot) -> Refusal:
    start = snapshot.start
    detail = (
        f"The snapshot {snapshot.id!r} is of another company: {start.scenario}, seed {start.seed}. An episode stays in "
        "the one that it began in, as does its agent's token. Send reset with the option snapshot instead."
    )
    return Refusal(409, "snapshot_differs", detail, field="snapshot_id")


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


def _metadata(name: Name, found: Continuation, options: ResetOptions) -> dict[str, Any]:
    start, chaos = found.start, found.snapshot.chaos
    return {
        "episode_id": name.id,
        "episode_uid": name.uid,
        "scenario": start.scenario,
        "version": start.version,
        "seed": start.seed,
        "chaos": chaos.level,
        "chaos_name": chaos.name,
        "max_steps": start.max_steps,
        "trace_hash": found.hash,
        "snapshot_id": found.snapshot.id,
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
