"""The facade of the orchestrator: one method per trainer request, with JSON-ready answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from redis.asyncio import Redis

from companyos.chassis.events.redis_client import connect
from companyos.chassis.postgres.epochs import Pool
from companyos.chassis.web.observability import exported_spans
from companyos.sdk.scenario import Scenario, load_scenarios

from ..agent.agent_schemas import SHARED_ARGUMENTS
from ..agent.observation_text import tools_text
from ..agent.observations import StepResult, observation
from ..branching.archives import Archives
from ..branching.branches import Branches
from ..grading.gradecard import grade_card
from ..maintenance.background_jobs import BackgroundJobs
from ..maintenance.readiness import readiness
from ..progress.progress_cache import EpisodeProgress
from ..protocol.options import ResetOptions as ResetOptions
from ..protocol.problems import Refusal as Refusal
from ..protocol.problems import episode_unknown, refusing_outages
from ..protocol.records import Episode
from ..protocol.replies import Reply as Reply
from ..protocol.replies import start_record, state_of, summary_of
from ..runtime.capacity import Capacity
from ..runtime.components import Components
from ..runtime.settings import Settings
from ..step.steps import Steps
from ..storage.names import Names, episode_replaced
from ..storage.session_rows import SessionRows
from ..storage.store import Store
from ..worlds.scenario_code import failures_named
from ..worlds.scenario_library import ScenarioLibrary
from .advice import Advice
from .agents import Agents
from .assembly import assembled, gateway_of
from .chaos_override import ChaosOverride
from .company_view import showcase
from .prefetch import Prefetch
from .resets import Resets
from .starts import Starts
from .watching import Watching

DRAIN_S = 8.0
LONGEST_PAGE = 200
#: How often a process that starts looks whether it is ready.
START_POLL_S = 0.5


class Episodes:
    """The episodes of one orchestrator process; any replica can serve any of them.

    Every method raises `Refusal` with a stable code if it cannot carry out the request.

    Attributes:
        capacity: The open episodes, and whether resets are taken.
        branches: Snapshots, restores and forks of them.
        sessions: Trainers' session ids and their episodes.
        archives: Snapshots as files.
        advice: What the oracle would do at a state.
        chaos_override: Sets the chaos of running episodes.
        agents: The agents that play over the agent API.
        prefetch: The companies of upcoming resets.
        watching: Follows episodes while others play them.
        oracle_steps: Returns the most steps that a scenario's oracle needs at the default chaos.
        has_started: Whether this process was ever ready; an outage later does not change it.
    """

    def __init__(
        self,
        components: Components,
        redis: Redis,
        library: ScenarioLibrary,
        capacity: Capacity,
        background_jobs: BackgroundJobs,
    ) -> None:
        self._components = components
        self._redis = redis
        self._library = library
        self.capacity = capacity
        self.branches = Branches(components, capacity)
        self.sessions = SessionRows(components.store)
        self.archives = Archives(components)
        self.chaos_override = ChaosOverride(components)
        self.prefetch = Prefetch(components)
        self.watching = Watching(components.store)
        self.oracle_steps = components.instances.oracle_steps
        self._resets = Resets(components, capacity)
        self._steps = Steps(components)
        self.advice = Advice(components, self._steps, self.branches)
        self._starts = Starts(components, self._resets, self._steps, self.branches)
        self.agents = Agents(components, self._steps)
        self._background_jobs = background_jobs
        self.has_started = False

    async def reset(self, options: ResetOptions, *, player: str | None = None) -> Reply:
        """Start an episode, in place of any unheld one of the same id, and return its first observation.

        Args:
            options: The trainer's options.
            player: The socket or session that will play it; see `names`.

        Raises:
            Refusal: 404 scenario_unknown or snapshot_unknown, 409 episode_exists, 422 invalid_chaos, invalid_start,
                tool_unknown or snapshot_decides, 429 too_many_episodes or too_busy, 500 scenario_failed, 503
                service_unavailable or cell_draining.
        """
        self.capacity.refuse_draining()
        if options.start is not None:
            return await self._starts.reset(options, options.start, player)
        if options.snapshot is not None:
            return await self.branches.reset(options, options.snapshot, player)
        return await self._resets.reset(options, player)

    async def tools(self) -> Reply:
        """Return the answer to `list_tools` without an episode; this is not a step and costs nothing.

        Raises:
            Refusal: 503 service_unavailable.
        """
        with refusing_outages():
            cards = (await self._components.catalogs.complete()).cards
        seen = observation(
            StepResult(text=tools_text(cards), tools=cards), step=0, max_steps=0, now=0, elapsed_s=0
        )
        return Reply(seen, 0.0, False, {"episode_id": None})

    async def step(
        self,
        episode_id: str,
        action: Any,
        *,
        step: int | None = None,
        timeout_s: float | None = None,
        uid: str | None = None,
    ) -> Reply:
        """Play one action; a step number that was already played returns its stored reply.

        Raises:
            Refusal: 404 episode_unknown, 409 episode_replaced (another `uid`), step_out_of_order, step_conflict (played
                with another action), step_in_progress or episode_done, 422 invalid_action (not an action; not a step),
                429 too_busy, 503 service_unavailable or step_unsettled (send the same step again).
        """
        return await self._steps.step(episode_id, action, step=step, timeout_s=timeout_s, uid=uid)

    async def state(self, episode_id: str, *, uid: str | None = None) -> dict[str, Any]:
        """Return OpenEnv's state and the `episode_uid`: step_count, scenario, chaos, max_steps, done, sim_now."""
        episode = await self._episode(episode_id, uid)
        return {**state_of(episode), "episode_uid": episode.uid}

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
            found = await self._components.store.episodes(
                after=_after(cursor), scenario=scenario, done=done, success=success, limit=limit
            )
            counts = await self._components.store.counts()
        next_cursor = str(found[-1].world) if len(found) == limit else None
        return {"items": [summary_of(one) for one in found], "next_cursor": next_cursor, "counts": counts}

    async def newest(self, *, done: bool, limit: int) -> list[dict[str, Any]]:
        """Return the episodes that run or are over, newest first."""
        with refusing_outages():
            return [summary_of(one) for one in await self._components.store.newest(done=done, limit=limit)]

    async def trace(self, episode_id: str, *, after: int | None = None) -> list[dict[str, Any]]:
        """Return the records of the episode in order, with 0 as the reset; or only those of the steps `after` one."""
        with refusing_outages():
            episode = await self._episode(episode_id)
            if after is not None:
                return await self._components.store.records(episode, after=after)
            catalog = await self._components.catalogs.complete()
            prepared = await self._components.instances.of(episode.start)
            tools = self._components.instances.tools_of(episode.start, catalog)
            seen, first_hash = prepared.initial_state.first(episode.start, tools)
            records = await self._components.store.records(episode)
            async with self._reading(episode) as progress:
                not_offered, faults = progress.grader.instance.not_offered, _faults(episode, progress)
        last_hash = records[-1]["hash"] if records else first_hash
        return [start_record(episode, seen, first_hash, last_hash, faults, not_offered), *records]

    async def grade(self, episode_id: str) -> dict[str, Any]:
        """Return the grade card: every predicate with its verdict and the rows that prove it."""
        with refusing_outages():
            episode = await self._episode(episode_id)
            records = await self._components.store.records(episode)
            async with self._reading(episode) as progress:
                return {
                    **grade_card(episode, progress.grader, records),
                    "fault_account": _faults(episode, progress),
                    "faults_not_offered": list(progress.grader.instance.not_offered),
                }

    async def close(self, episode_id: str, *, uid: str | None = None) -> None:
        """Delete the episode, unless it has another `uid`; its world is reaped in the background."""
        with refusing_outages():
            if not await self._components.store.close_episode(episode_id, uid=uid):
                await self._episode(episode_id, uid)
                raise episode_unknown(episode_id)
        await self._components.garbage.added()

    async def abandon(self, episode_id: str, player: str) -> None:
        """Delete an unfinished episode, unless another player has taken its name over."""
        with refusing_outages():
            if await self._components.store.abandon_episode(episode_id, player):
                await self._components.garbage.added()

    async def company(self, episode_id: str) -> dict[str, Any]:
        """Return the company for display: clock, services, tables and last steps."""
        with refusing_outages():
            episode = await self._episode(episode_id)
            catalog = await self._components.catalogs.complete()
            records = await self._components.store.records(episode)
            async with self._reading(episode) as progress:
                return showcase(episode, progress.grader, catalog, records)

    def manifest(self) -> dict[str, Any]:
        """Return the tools in OpenAI function format: `tools`, a list of {type, function}.

        `shared_arguments` describes, by name, the arguments that many tools share.
        """
        return {
            "tools": self._components.catalogs.known.everything.functions,
            "shared_arguments": dict(SHARED_ARGUMENTS),
        }

    async def episode_tools(self, episode_id: str) -> list[dict[str, Any]]:
        """Return the tools that the agent of an episode has, as OpenEnv lists them.

        Raises:
            Refusal: 404 episode_unknown, 503 service_unavailable.
        """
        with refusing_outages():
            episode = await self._episode(episode_id)
            catalog = await self._components.catalogs.complete()
        tools = self._components.instances.tools_of(episode.start, catalog, *episode.chaoses)
        return tools.listed(episode.start.tools_format).cards

    def scenarios(self) -> list[dict[str, Any]]:
        """Return name, version, title and summary of every scenario, by name."""
        return self._library.listed()

    def scenario(self, name: str) -> dict[str, Any]:
        """Return the environment card of one scenario, with its README as `readme`.

        Raises:
            Refusal: 404 scenario_unknown, naming the existing ones.
        """
        return self._library.card(name)

    async def ready(self) -> dict[str, Any]:
        """Return `ready` (bool), `parts`, each dependency's state ("ok" or an error), and `waiting_for`, names."""
        found = await readiness(self._components, self._redis)
        self.has_started |= found["ready"]
        return found

    async def await_start(self) -> None:
        """Return once this process is ready for the first time."""
        while not (await self.ready())["ready"]:  # noqa: ASYNC110
            await asyncio.sleep(START_POLL_S)

    def metrics(self) -> bytes:
        """Return the process' metrics in Prometheus text format."""
        return self._components.metrics.page()

    async def drain(self) -> None:
        """Wait for the running steps, and for the company that is being prefetched."""
        await asyncio.gather(self._steps.finish(DRAIN_S), self.prefetch.stop(DRAIN_S))

    async def _episode(self, episode_id: str, uid: str | None = None) -> Episode:
        with refusing_outages():
            episode = await self._components.store.episode(episode_id)
        if episode is None:
            raise episode_unknown(episode_id)
        if not episode.is_meant(uid):
            raise episode_replaced(episode_id)
        return episode

    @asynccontextmanager
    async def _reading(self, episode: Episode) -> AsyncIterator[EpisodeProgress]:
        """Lend the progress of an episode as of its row; no step changes it while the block runs."""
        catalog = await self._components.catalogs.complete()
        progress = await self._components.progress_cache.take(episode, catalog)
        try:
            with failures_named(episode.start.scenario):
                yield progress
        finally:
            self._components.progress_cache.keep(episode, progress, ended=episode.done)


@asynccontextmanager
async def open_episodes(
    settings: Settings, scenarios: Callable[[], Mapping[str, Scenario]] = load_scenarios
) -> AsyncIterator[Episodes]:
    """Connect to PostgreSQL, Redis and the services, and yield the facade until the process stops.

    Dependencies that are not up yet are awaited in the background; requests that need them are refused with 503.
    """
    library = ScenarioLibrary(scenarios)
    async with AsyncExitStack() as stack:
        redis = connect(settings.redis_url.get_secret_value())
        stack.push_async_callback(redis.aclose)
        about = {"companyos.cell": settings.cell}
        await stack.enter_async_context(exported_spans("orchestrator", tracing=settings.tracing, **about))
        names = Names(settings.cell, settings.context_key.get_secret_value())
        store = await stack.enter_async_context(Store(Pool(**settings.database), names))
        gateway = await stack.enter_async_context(gateway_of(settings))
        components = assembled(settings, store, gateway, redis, library)
        stack.push_async_callback(components.barrier.forget)
        stack.push_async_callback(components.garbage.stop)
        capacity = Capacity(store, settings.max_episodes)
        background_jobs = BackgroundJobs(components, capacity, settings)
        episodes = Episodes(components, redis, library, capacity, background_jobs)
        background_jobs.start(episodes.await_start())
        stack.push_async_callback(background_jobs.stop)
        stack.push_async_callback(episodes.drain)
        yield episodes


def _faults(episode: Episode, progress: EpisodeProgress) -> list[dict[str, Any]]:
    return [] if progress.account is None else progress.account.documents(done=episode.done)


def _after(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 18:
        raise Refusal(422, "invalid_cursor", "Pass `next_cursor` of the previous page.", field="cursor")
    return int(cursor)
