"""Resets, each of which starts an episode over a base, in one statement once the company is known."""

from __future__ import annotations

from structlog.contextvars import bind_contextvars

from companyos.sdk.chaos import Chaos

from ..protocol.agent_tokens import agent_access
from ..protocol.options import ResetOptions, requested_chaos
from ..protocol.problems import Outage
from ..protocol.records import Start
from ..protocol.replies import Reply
from ..runtime.capacity import Capacity
from ..runtime.components import Components
from ..services.catalog import Catalog
from ..storage.names import Name
from ..worlds.instances import InitialState

#: A base may be retired between loading and opening; more retries than this mean another problem.
ATTEMPTS = 5


class Resets:
    """Starts episodes."""

    def __init__(self, components: Components, capacity: Capacity) -> None:
        self._components = components
        self._capacity = capacity

    async def reset(self, options: ResetOptions, player: str | None = None) -> Reply:
        """Start an episode; see `Episodes.reset`."""
        chaos = requested_chaos(options.chaos)
        with self._components.metrics.timed("reset"):
            try:
                catalog = await self._components.catalogs.complete()
                catalog.toolsets.refuse_unknown(options.tools)
                # Before the reset is in flight: a company that takes long keeps no step from being played.
                initial_state = await self._initial_state(options, chaos)
                async with self._components.in_flight.slot():
                    return await self._begin_episode(options, chaos, player, catalog, initial_state)
            except Outage as outage:
                self._components.metrics.outages.labels(outage.part).inc()
                raise outage.refusal() from outage

    async def _begin_episode(
        self,
        options: ResetOptions,
        chaos: Chaos,
        player: str | None,
        catalog: Catalog,
        initial_state: InitialState,
    ) -> Reply:
        start = start_of(options, chaos, initial_state)
        seen, first_hash = initial_state.first(start, self._components.instances.tools_of(start, catalog))
        name = self._components.store.names.episode(
            options.episode_id, player, replace=options.replace, key=options.idempotency_key
        )
        bind_contextvars(episode=name.id)
        is_new = options.episode_id is None
        await self._open(name, start, initial_state, catalog, first_hash, is_new=is_new)
        if not is_new:
            await self._components.garbage.added()
        self._components.metrics.resets.labels(start.scenario).inc()
        metadata = {
            "episode_id": name.id,
            "episode_uid": name.uid,
            **agent_access(name.agent_token, self._components.agent_url),
            "scenario": start.scenario,
            "version": start.version,
            "seed": start.seed,
            "chaos": chaos.level,
            "chaos_name": chaos.name,
            "max_steps": start.max_steps,
            "trace_hash": first_hash,
            "ignored": options.ignored,
        }
        return Reply(dict(seen), 0.0, False, metadata)

    async def _initial_state(self, options: ResetOptions, chaos: Chaos) -> InitialState:
        return await self._components.instances.initial_state(
            options.scenario, options.seed, chaos, options.company_size
        )

    async def _open(
        self,
        name: Name,
        start: Start,
        initial_state: InitialState,
        catalog: Catalog,
        first_hash: str,
        *,
        is_new: bool,
    ) -> None:
        self._capacity.take()
        with self._components.bases.held(initial_state.base):
            for _ in range(ATTEMPTS):
                await self._components.instances.load(initial_state, start, catalog)
                opened = await self._components.store.open_episode(
                    start,
                    name=name,
                    base=initial_state.base,
                    now=initial_state.start,
                    first_hash=first_hash,
                    is_new=is_new,
                )
                if opened:
                    return
                await self._components.store.refuse_taken(name)
                initial_state.loaded = False
        raise Outage("database", "the starting company is removed as often as it is loaded")


def start_of(options: ResetOptions, chaos: Chaos, initial_state: InitialState) -> Start:
    """Return the start of an episode: the trainer's options, completed by the initial state."""
    return Start(
        scenario=initial_state.scenario,
        version=initial_state.version,
        seed=initial_state.seed,
        chaos=chaos,
        size=options.company_size,
        profile=options.rewards,
        mode=options.reward_mode,
        max_steps=options.step_limit(0, initial_state.max_steps),
        latency=options.latency,
        tools=options.tools,
        guidance=options.guidance,
        tools_format=options.tools_format,
        observation_format=options.observation_format,
    )
