"""Branches of episodes, as a trainer asks for them: snapshots, restores, forks, and resets from a snapshot."""

from __future__ import annotations

import re
from contextlib import AbstractAsyncContextManager
from typing import Any

from companyos.simtime import to_iso

from .flight import working
from .housekeeping import Capacity
from .observations import Said, observation
from .options import ResetOptions
from .problems import Refusal, ScenarioChanged, episode_unknown
from .records import Episode, Snapshot
from .replies import Reply, episode_done, summary_of
from .snapshots import Snapshots
from .steps import GIVE_UP_S, Parts

LONGEST_PAGE = 200
_ID = re.compile(r"snap-([1-9][0-9]{0,17})")


class Branches:
    """Keeps worlds, goes back to them, and multiplies them; never while a step of theirs is under way."""

    def __init__(self, parts: Parts, capacity: Capacity) -> None:
        self._parts = parts
        self._capacity = capacity
        self._snapshots = Snapshots(parts.store)

    async def snapshot(
        self, episode_id: str, *, name: str | None = None, pinned: bool = False
    ) -> dict[str, Any]:
        """Keep an episode's whole world as it is now and return the snapshot, with its `snapshot_id`.

        Raises:
            Refusal: 404 episode_unknown, 409 step_in_progress or episode_done.
        """
        async with self._working("snapshot"):
            taken = await self._snapshots.take(episode_id, name=name, pinned=pinned)
            if taken is None:
                raise await self._not_now(episode_id)
        return snapshot_document(taken)

    async def restore(self, episode_id: str, snapshot_id: str) -> dict[str, Any]:
        """Put an episode back to a snapshot, over or not, and return it as it is then.

        Raises:
            Refusal: 404 episode_unknown or snapshot_unknown, 409 step_in_progress.
        """
        async with self._working("restore"):
            number = snapshot_number(snapshot_id)
            restored = await self._snapshots.restore(number, episode_id, after_s=GIVE_UP_S)
            if restored is None:
                await self._found(snapshot_id)
                raise await self._not_now(episode_id, even_done=True)
            await self._parts.leavings.added()
        return summary_of(restored)

    async def fork(self, episode_id: str, count: int) -> list[str]:
        """Open episodes that go on from where one is, each on its own, and return their ids.

        Raises:
            Refusal: 404 episode_unknown, 409 step_in_progress or episode_done, 429 too_many_episodes.
        """
        async with self._working("fork"):
            self._capacity.take(count)
            opened = await self._snapshots.fork(episode_id, count)
            if not opened:
                raise await self._not_now(episode_id)
        return opened

    async def reset(self, options: ResetOptions, snapshot_id: str) -> Reply:
        """Start an episode that goes on from a snapshot; see `Episodes.reset`.

        Raises:
            Refusal: 404 snapshot_unknown, 422 snapshot_decides, 429 too_many_episodes.
        """
        _refuse_other_options(options)
        async with self._working("reset"):
            snapshot = await self._found(snapshot_id)
            seen = await self._seen(snapshot)
            self._capacity.take()
            episode = await self._opened(snapshot, options.episode_id)
        self._parts.metrics.resets.labels(episode.start.scenario).inc()
        return Reply(seen, None, False, _metadata(episode, snapshot, options))

    async def snapshots(
        self, *, name: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> dict[str, Any]:
        """Return a page of snapshots, oldest first: items and next_cursor."""
        after = (
            0
            if cursor is None
            else snapshot_number(cursor, field="cursor", status=422, code="invalid_cursor")
        )
        async with self._working("list"):
            found = await self._snapshots.listed(after=after, name=name, limit=min(limit, LONGEST_PAGE))
        next_cursor = found[-1].id if len(found) == limit else None
        return {"items": [snapshot_document(one) for one in found], "next_cursor": next_cursor}

    async def kept(self, snapshot_id: str) -> dict[str, Any]:
        """Return one snapshot.

        Raises:
            Refusal: 404 snapshot_unknown.
        """
        async with self._working("list"):
            return snapshot_document(await self._found(snapshot_id))

    async def drop(self, snapshot_id: str) -> None:
        """Forget a snapshot; what went on from it goes on.

        Raises:
            Refusal: 404 snapshot_unknown.
        """
        async with self._working("drop"):
            if not await self._snapshots.drop(snapshot_number(snapshot_id)):
                raise snapshot_unknown(snapshot_id)
            await self._parts.leavings.added()

    def _working(self, work: str) -> AbstractAsyncContextManager[None]:
        return working(self._parts.flight, self._parts.metrics, work)

    async def _found(self, snapshot_id: str) -> Snapshot:
        snapshot = await self._snapshots.find(snapshot_number(snapshot_id))
        if snapshot is None:
            raise snapshot_unknown(snapshot_id)
        return snapshot

    async def _opened(self, snapshot: Snapshot, episode_id: str | None) -> Episode:
        # An id made for the episode may be taken by a name a trainer gave; the next one is another.
        for _ in range(2):
            episode = await self._snapshots.open(snapshot.number, episode_id)
            if episode is not None:
                return episode
        raise snapshot_unknown(snapshot.id)

    async def _seen(self, snapshot: Snapshot) -> dict[str, Any]:
        """Return what a reset shows: the brief and the tools, at the snapshot's step and time."""
        catalog = await self._parts.catalogs.complete()
        start = snapshot.start
        opening = await self._parts.beginnings.opening(start.scenario, start.seed, start.chaos, start.size)
        if opening.base != snapshot.base:
            raise ScenarioChanged("scenario", f"{start.scenario} changed since the snapshot")
        await self._parts.beginnings.load(opening, start, catalog)
        return observation(
            Said(text=opening.brief, tools=catalog.cards),
            step=snapshot.step,
            max_steps=start.max_steps,
            now=snapshot.now,
            elapsed_s=0,
        )

    async def _not_now(self, episode_id: str, *, even_done: bool = False) -> Refusal:
        episode = await self._parts.store.episode(episode_id)
        if episode is None:
            return episode_unknown(episode_id)
        if episode.done and not even_done:
            return episode_done(episode)
        detail = "A step of this episode is under way. Wait for its answer, or send that same step again."
        return Refusal(409, "step_in_progress", detail, retryable=True)


def snapshot_unknown(snapshot_id: str) -> Refusal:
    """Return the refusal of a request about a snapshot that is not there."""
    detail = f"There is no snapshot {snapshot_id!r}. It was dropped, was unused for long, or never was."
    return Refusal(404, "snapshot_unknown", detail, field="snapshot_id")


def _refuse_other_options(options: ResetOptions) -> None:
    decided = options.model_fields_set - {"snapshot", "episode_id"}
    if clash := sorted(decided & set(ResetOptions.model_fields)):
        detail = f"The snapshot decides {clash[0]}; leave it out, or start without a snapshot."
        raise Refusal(422, "snapshot_decides", detail, field=clash[0])


def _metadata(episode: Episode, snapshot: Snapshot, options: ResetOptions) -> dict[str, Any]:
    start = episode.start
    return {
        "episode_id": episode.id,
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
    """Return a snapshot as a trainer sees it."""
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


def snapshot_number(
    snapshot_id: str, *, field: str = "snapshot_id", status: int = 404, code: str = "snapshot_unknown"
) -> int:
    """Return the number in a snapshot's id.

    Raises:
        Refusal: It is no such id; 404 snapshot_unknown unless told otherwise.
    """
    if found := _ID.fullmatch(snapshot_id):
        return int(found[1])
    if status == 404:
        raise snapshot_unknown(snapshot_id)
    raise Refusal(status, code, "Pass `next_cursor` of the page before.", field=field)
