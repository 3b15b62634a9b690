"""The facade of the orchestrator: every request of a trainer is one method here, and answers are JSON-ready."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from redis.asyncio import Redis

from companyos.chassis.redis_client import connect
from companyos.scenario import Scenario, load_scenarios

from .archives import Archives
from .barrier import Barrier
from .bases import Bases
from .beginnings import Beginnings
from .branches import Branches
from .bus import Settlements
from .catalog import Catalogs
from .companies import Companies, Company
from .faults.switch import Switch
from .flight import Flight
from .gateway import Gateway
from .gradecard import grade_card
from .health import readiness
from .housekeeping import Capacity, Housekeeping
from .leavings import Leavings
from .library import Library
from .metrics import Metrics
from .options import ResetOptions as ResetOptions
from .problems import Refusal as Refusal
from .problems import episode_unknown, refusing_outages
from .records import Episode
from .replies import Reply as Reply
from .replies import start_record, state_of, summary_of
from .resets import Resets
from .sessions import SessionRows
from .settings import Settings
from .showcase import showcase
from .steps import Parts, Steps
from .store import Store

DRAIN_S = 8.0
LONGEST_PAGE = 200


class Episodes:
    """Episodes of one orchestrator process; any replica can serve any of them.

    Every method raises `Refusal` with a stable code when it cannot do what is asked.

    Attributes:
        branches: Snapshots, restores and forks of them.
        sessions: What trainers' session ids stand for.
        archives: Snapshots as files.
        switch: Sets the chaos of running episodes.
    """

    def __init__(
        self,
        parts: Parts,
        redis: Redis,
        library: Library,
        capacity: Capacity,
        housekeeping: Housekeeping,
    ) -> None:
        self._parts = parts
        self._redis = redis
        self._library = library
        self.branches = Branches(parts, capacity)
        self.sessions = SessionRows(parts.store)
        self.archives = Archives(parts)
        self.switch = Switch(parts)
        self._resets = Resets(parts, capacity)
        self._steps = Steps(parts)
        self._housekeeping = housekeeping

    async def reset(self, options: ResetOptions) -> Reply:
        """Start an episode and return its first observation; one of the same id is replaced.

        Raises:
            Refusal: 404 scenario_unknown or snapshot_unknown, 422 invalid_chaos or snapshot_decides,
                429 too_many_episodes or too_busy, 503 service_unavailable.
        """
        if options.snapshot is not None:
            return await self.branches.reset(options, options.snapshot)
        return await self._resets.reset(options)

    async def step(
        self, episode_id: str, action: Any, *, step: int | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Play one action; a step number that was played already returns its stored reply.

        Raises:
            Refusal: 404 episode_unknown, 409 step_out_of_order, step_conflict (played with another
                action), step_in_progress or episode_done, 422 invalid_action (not an action at all;
                costs nothing), 429 too_busy, 503 service_unavailable or step_unsettled (send the same
                step again).
        """
        return await self._steps.step(episode_id, action, step=step, timeout_s=timeout_s)

    async def state(self, episode_id: str) -> dict[str, Any]:
        """Return OpenEnv's state: episode_id, step_count, scenario, chaos, max_steps, done, sim_now."""
        return state_of(await self._episode(episode_id))

    async def episode(self, episode_id: str) -> dict[str, Any]:
        """Return one episode as listed by `episodes`, with its options and outcome."""
        return summary_of(await self._episode(episode_id))

    async def episodes(
        self,
        *,
        scenario: str | None = None,
        done: bool | None = None,
        success: bool | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> dict[str, Any]:
        """Return a page of episodes, oldest first: items, next_cursor and counts of all of them."""
        limit = max(1, min(limit, LONGEST_PAGE))
        with refusing_outages():
            found = await self._parts.store.episodes(
                after=_after(cursor), scenario=scenario, done=done, success=success, limit=limit
            )
            counts = await self._parts.store.counts()
        next_cursor = str(found[-1].world) if len(found) == limit else None
        return {"items": [summary_of(one) for one in found], "next_cursor": next_cursor, "counts": counts}

    async def trace(self, episode_id: str) -> list[dict[str, Any]]:
        """Return the records of the episode in order; record 0 is the reset."""
        with refusing_outages():
            episode = await self._episode(episode_id)
            catalog = await self._parts.catalogs.complete()
            beginning = await self._parts.beginnings.of(episode.start)
            seen, first_hash = beginning.opening.first(episode.start, catalog)
            company = await self._company(episode)
            records = await self._parts.store.records(episode)
        return [start_record(episode, seen, first_hash, _faults(episode, company)), *records]

    async def grade(self, episode_id: str) -> dict[str, Any]:
        """Return the grade card: every predicate with its verdict and the rows that prove it."""
        with refusing_outages():
            episode = await self._episode(episode_id)
            company = await self._company(episode)
            records = await self._parts.store.records(episode)
        return {
            **grade_card(episode, company.progress, records),
            "fault_account": _faults(episode, company),
        }

    async def close(self, episode_id: str) -> None:
        """Forget the episode; its world is reaped in the background."""
        with refusing_outages():
            if not await self._parts.store.close_episode(episode_id):
                raise episode_unknown(episode_id)
        await self._parts.leavings.added()

    async def company(self, episode_id: str) -> dict[str, Any]:
        """Return the company as a person would look at it: clock, services, tables and last steps."""
        with refusing_outages():
            episode = await self._episode(episode_id)
            company = await self._company(episode)
            catalog = await self._parts.catalogs.complete()
            records = await self._parts.store.records(episode)
        return showcase(episode, company.progress, catalog, records)

    def manifest(self) -> dict[str, Any]:
        """Return the tools in OpenAI function format: `tools`, a list of {type, function}."""
        return {"tools": self._parts.catalogs.known.functions}

    def scenarios(self) -> list[dict[str, Any]]:
        """Return name, version, title and summary of every scenario, by name."""
        return self._library.listed()

    def scenario(self, name: str) -> dict[str, Any]:
        """Return the environment card of one scenario, with its README as `readme`.

        Raises:
            Refusal: 404 scenario_unknown, naming those there are.
        """
        return self._library.card(name)

    async def ready(self) -> dict[str, Any]:
        """Return `ready` (bool) and `parts`, what each dependency answers ("ok" or why not)."""
        parts = self._parts
        return await readiness(parts.store, self._redis, parts.gateway, parts.catalogs)

    def metrics(self) -> bytes:
        """Return the process' metrics in Prometheus text format."""
        return self._parts.metrics.page()

    async def drain(self) -> None:
        """Wait for the steps under way."""
        await self._steps.finish(DRAIN_S)

    async def _episode(self, episode_id: str) -> Episode:
        with refusing_outages():
            episode = await self._parts.store.episode(episode_id)
        if episode is None:
            raise episode_unknown(episode_id)
        return episode

    async def _company(self, episode: Episode) -> Company:
        catalog = await self._parts.catalogs.complete()
        company = await self._parts.companies.take(episode, catalog)
        self._parts.companies.keep(episode, company, ended=episode.done)
        return company


@asynccontextmanager
async def open_episodes(
    settings: Settings, scenarios: Callable[[], Mapping[str, Scenario]] = load_scenarios
) -> AsyncIterator[Episodes]:
    """Connect to PostgreSQL, Redis and the services, and yield the facade until the process stops.

    What is not up yet is waited for in the background; until then requests that need it are refused with 503.
    """
    library = Library(scenarios)
    async with AsyncExitStack() as stack:
        redis = connect(settings.redis_url.get_secret_value())
        stack.push_async_callback(redis.aclose)
        store = Store(settings.database_url.get_secret_value(), pool_size=settings.pool_size)
        await store.open()
        stack.push_async_callback(store.close)
        gateway = await stack.enter_async_context(
            Gateway(
                settings.services,
                context_key=settings.context_key.get_secret_value(),
                admin_token=settings.admin_token.get_secret_value(),
                call_s=settings.call_s,
            )
        )
        parts = _parts(settings, store, gateway, redis, library)
        stack.push_async_callback(parts.barrier.forget)
        stack.push_async_callback(parts.leavings.stop)
        capacity = Capacity(store, settings.max_episodes)
        housekeeping = Housekeeping(parts, capacity, settings)
        housekeeping.start()
        stack.push_async_callback(housekeeping.stop)
        episodes = Episodes(parts, redis, library, capacity, housekeeping)
        stack.push_async_callback(episodes.drain)
        yield episodes


def _parts(settings: Settings, store: Store, gateway: Gateway, redis: Redis, library: Library) -> Parts:
    bases = Bases(store, gateway, most=settings.max_bases)
    beginnings = Beginnings(bases, library, settings.salt)
    return Parts(
        store=store,
        gateway=gateway,
        catalogs=Catalogs(gateway),
        barrier=Barrier(redis, f"acks:{secrets.token_hex(6)}"),
        settlements=Settlements(redis),
        bases=bases,
        leavings=Leavings(store, gateway, keep=settings.keep_episodes, idle_s=settings.idle_s),
        beginnings=beginnings,
        companies=Companies(store, beginnings),
        flight=Flight(most=settings.max_in_flight, queue_s=settings.queue_s),
        metrics=Metrics(),
        settle_s=settings.settle_s,
        real_kills=settings.real_kills,
        patience_s=settings.patience_s,
    )


def _faults(episode: Episode, company: Company) -> list[dict[str, Any]]:
    return [] if company.account is None else company.account.documents(done=episode.done)


def _after(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 18:
        raise Refusal(422, "invalid_cursor", "Pass `next_cursor` of the page before.", field="cursor")
    return int(cursor)
