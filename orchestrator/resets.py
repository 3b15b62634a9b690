"""Resets: an episode over a starting company, which is one statement once the company is known."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from companyos.chaos import Chaos, ChaosRefused, parse_chaos

from .beginnings import Opening
from .catalog import Catalog
from .housekeeping import Capacity
from .options import ResetOptions
from .problems import Outage, Refusal
from .records import Start
from .replies import Reply
from .steps import Parts

#: A base may be retired between loading and opening; more often than this it is no coincidence.
ATTEMPTS = 5
DEFAULT_SIZE = "default"


class Resets:
    """Starts episodes."""

    def __init__(self, parts: Parts, capacity: Capacity) -> None:
        self._parts = parts
        self._capacity = capacity

    async def reset(self, options: ResetOptions) -> Reply:
        """Start an episode; see `Episodes.reset`."""
        chaos = chaos_of(options.chaos)
        async with self._parts.flight.slot():
            with self._parts.metrics.timed("reset"):
                try:
                    return await self._begun(options, chaos)
                except Outage as outage:
                    self._parts.metrics.outages.labels(outage.part).inc()
                    raise outage.refusal() from outage

    async def _begun(self, options: ResetOptions, chaos: Chaos) -> Reply:
        catalog = await self._parts.catalogs.complete()
        opening = await self._opening(options, chaos)
        start = _start(options, chaos, opening)
        seen, first_hash = opening.first(start, catalog)
        # Not counted by the database: one that crashed could give a number out again.
        episode_id = options.episode_id or f"ep-{secrets.token_hex(8)}"
        is_new = options.episode_id is None
        await self._open(episode_id, start, opening, catalog, first_hash, is_new=is_new)
        if not is_new:
            await self._parts.leavings.added()
        self._parts.metrics.resets.labels(start.scenario).inc()
        metadata = {
            "episode_id": episode_id,
            "scenario": start.scenario,
            "version": start.version,
            "seed": start.seed,
            "chaos": chaos.level,
            "chaos_name": chaos.name,
            "max_steps": start.max_steps,
            "trace_hash": first_hash,
            "ignored": options.ignored,
        }
        return Reply(dict(seen), None, False, metadata)

    async def _opening(self, options: ResetOptions, chaos: Chaos) -> Opening:
        size = DEFAULT_SIZE if options.size is None else options.size
        return await self._parts.beginnings.opening(options.scenario, options.seed, chaos, size)

    async def _open(
        self,
        episode_id: str,
        start: Start,
        opening: Opening,
        catalog: Catalog,
        first_hash: str,
        *,
        is_new: bool,
    ) -> None:
        self._capacity.take()
        with self._parts.bases.held(opening.base):
            for _ in range(ATTEMPTS):
                await self._parts.beginnings.load(opening, start, catalog)
                opened = await self._parts.store.open_episode(
                    start,
                    episode_id=episode_id,
                    base=opening.base,
                    now=opening.start,
                    first_hash=first_hash,
                    is_new=is_new,
                )
                if opened:
                    return
                opening.loaded = False
        raise Outage("database", "the starting company is removed as often as it is loaded")


def chaos_of(value: int | str | Mapping[str, Any]) -> Chaos:
    """Return the chaos that a trainer asks for.

    Raises:
        Refusal: 422 invalid_chaos.
    """
    try:
        return parse_chaos(value)
    except ChaosRefused as refused:
        raise Refusal(422, "invalid_chaos", str(refused), field="chaos") from None


def _start(options: ResetOptions, chaos: Chaos, opening: Opening) -> Start:
    return Start(
        scenario=opening.scenario,
        version=opening.version,
        seed=opening.seed,
        chaos=chaos,
        size=DEFAULT_SIZE if options.size is None else options.size,
        profile=options.rewards,
        mode=options.reward_mode,
        max_steps=options.max_steps or opening.max_steps,
        latency=options.latency,
    )
