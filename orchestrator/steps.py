"""Steps from claim to commit: exactly once, however often they are sent and whatever fails in between."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import structlog

from .actions import Action, ActionRefused, parse_action
from .barrier import Barrier
from .bases import Bases
from .beginnings import Beginnings
from .bus import Settlements
from .calls import Scene
from .catalog import Catalogs
from .companies import Companies, Company
from .conclusion import Conclusion, concluded, stopped
from .flight import Flight, step_in_progress
from .gateway import Gateway
from .intents import intent_of
from .leavings import Leavings
from .metrics import Metrics
from .pipeline import play
from .problems import GraderFailed, Outage, Refusal, StepsLost, episode_unknown
from .records import Claim, Episode
from .replies import Reply, episode_done, step_reply
from .store import Store
from .trace import canonical, digest
from .turn import Reach, Turn

#: An episode whose step failed so often and for longer than our patience, or has been failing for so long, is given up.
MOST_FAILURES = 3
GIVE_UP_S = 60.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Parts:
    """What the work of an orchestrator process is done with."""

    store: Store
    gateway: Gateway
    catalogs: Catalogs
    barrier: Barrier
    settlements: Settlements
    bases: Bases
    leavings: Leavings
    beginnings: Beginnings
    companies: Companies
    flight: Flight
    metrics: Metrics
    settle_s: float
    real_kills: bool
    patience_s: float


class Steps:
    """Plays steps."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._under_way: set[asyncio.Task[Reply]] = set()

    async def step(
        self, episode_id: str, value: Any, *, step: int | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Play one action; see `Episodes.step`."""
        try:
            action = parse_action(value)
        except ActionRefused as refused:
            raise Refusal(422, "invalid_action", str(refused), field=refused.field) from None
        # A task of its own: a client that gives up, or loses its connection, leaves a whole step behind.
        task = asyncio.create_task(self._step(episode_id, action, step))
        self._under_way.add(task)
        task.add_done_callback(self._let_go)
        return await self._within(task, timeout_s)

    async def finish(self, within_s: float) -> None:
        """Wait for the steps under way, and stop those that take longer."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=within_s)
        for task in self._under_way:
            task.cancel()

    async def _within(self, task: asyncio.Task[Reply], timeout_s: float | None) -> Reply:
        try:
            async with asyncio.timeout(timeout_s):
                return await asyncio.shield(task)
        except TimeoutError:
            detail = f"The step is still being played after {timeout_s:g} s. Send the same step again for its answer."
            raise Refusal(503, "step_unsettled", detail, retryable=True) from None

    def _let_go(self, task: asyncio.Task[Reply]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()

    async def _step(self, episode_id: str, action: Action, step: int | None) -> Reply:
        parts = self._parts
        with parts.flight.alone(episode_id):
            async with parts.flight.slot():
                with parts.metrics.timed("step"):
                    return await self._claimed(episode_id, action, step)

    async def _claimed(self, episode_id: str, action: Action, step: int | None) -> Reply:
        started, wanted = perf_counter(), digest(action.canonical)
        try:
            claim = await self._parts.store.claim(episode_id, action=wanted, step=step)
            if claim is None:
                return await self._not_claimed(episode_id, action, step)
            return await self._attempt(claim, action, started, numbered=step is not None)
        except Outage as outage:
            raise outage.refusal() from outage

    async def _attempt(self, claim: Claim, action: Action, started: float, *, numbered: bool) -> Reply:
        try:
            if not numbered:
                self._parts.companies.refuse_lost(claim.episode)
            conclusion, scene = await self._play(claim, action, started)
        except Outage as outage:
            conclusion, scene = await self._failed(claim, action, outage, started), None
        reply = await self._committed(claim, conclusion)
        if scene is not None:
            scene.company.step, scene.company.hash = conclusion.played.step, conclusion.played.hash
            self._parts.companies.keep(claim.episode, scene.company, ended=reply.done)
            self._parts.companies.note_answered(claim.episode, scene.company.step)
            if scene.company.account is not None:
                self._parts.metrics.note_faults(
                    scene.company.account, conclusion.played.step, done=reply.done
                )
        return reply

    async def _play(self, claim: Claim, action: Action, started: float) -> tuple[Conclusion, Scene]:
        scene = await self._scene(claim.episode)
        parts = self._parts
        acks, life = parts.barrier.stream, claim.life
        reach = Reach(
            parts.gateway, scene.catalog, parts.settlements, acks, life, parts.settle_s, parts.real_kills
        )
        with parts.barrier.armed(claim.episode.world, life) as watch:
            armed = claim.episode.has_event_faults
            turn = Turn(reach, claim.episode, scene.beginning.instance.persona, watch, armed=armed)
            if claim.episode.put_since is not None:
                await turn.arm(scene.beginning.armed)
            intent = intent_of(action, scene.catalog.tools, claim.episode.now)
            done = await play(intent, turn, scene)
        try:
            conclusion = concluded(done, turn, scene, action, _ms(started))
            conclusion = _accounted(conclusion, scene.company, claim.episode.faults)
        except Exception as error:
            # Predicates are a scenario's code: where one fails, nobody knows what the step is worth.
            raise GraderFailed("grader", repr(error)) from error
        scene.company.note(conclusion.record)
        parts.metrics.steps.labels(str(done.call)).inc()
        return conclusion, scene

    async def _scene(self, episode: Episode) -> Scene:
        catalog = await self._parts.catalogs.complete()
        beginning = await self._parts.beginnings.under(episode)
        company = await self._parts.companies.take(episode, catalog)
        return Scene(episode, beginning, company, catalog)

    async def _failed(self, claim: Claim, action: Action, outage: Outage, started: float) -> Conclusion:
        log.warning("step_failed", step=claim.episode.step + 1, part=outage.part, reason=str(outage))
        self._parts.metrics.outages.labels(outage.part).inc()
        failures, for_s = await self._parts.store.fail(claim)
        # Attempts alone prove nothing: a client that retries at once uses them up while a service restarts.
        worn_out = failures >= MOST_FAILURES and for_s >= self._parts.patience_s
        if outage.hopeless or worn_out or for_s > GIVE_UP_S:
            return stopped(action, claim.episode, f"{outage.code}: {outage}", _ms(started))
        raise outage

    async def _committed(self, claim: Claim, conclusion: Conclusion) -> Reply:
        episode, played = claim.episode, conclusion.played
        if not await self._parts.store.commit(claim, played, canonical(conclusion.record)):
            raise await self._lost(episode)
        if played.done:
            outcome = "invalid" if played.invalid else "success" if played.success else "failure"
            self._parts.metrics.episodes.labels(episode.start.scenario, outcome).inc()
            await self._parts.leavings.added()
        return step_reply(conclusion.record, episode)

    async def _lost(self, episode: Episode) -> Refusal:
        """Return why a claim was lost: to another replica, or with the episode."""
        now = await self._parts.store.episode(episode.id)
        gone = now is None or now.world != episode.world
        return episode_unknown(episode.id) if gone else step_in_progress()

    async def _not_claimed(self, episode_id: str, action: Action, step: int | None) -> Reply:
        episode = await self._parts.store.episode(episode_id)
        if episode is None:
            raise episode_unknown(episode_id)
        if step is not None and 1 <= step <= episode.step:
            return await self._played_before(episode, action, step)
        if episode.done:
            raise episode_done(episode)
        if step is None and self._parts.companies.remember_more(episode):
            return await self._stopped(episode_id, action, 0.0, StepsLost.code)
        if step is not None and step != episode.step + 1:
            raise _out_of_order(episode, step)
        return await self._stopped(
            episode_id, action, GIVE_UP_S, "abandoned: a failed step was not sent again"
        )

    async def _stopped(self, episode_id: str, action: Action, after_s: float, why: str) -> Reply:
        """Stop an episode whose step nobody has touched for so long."""
        claim = await self._parts.store.seize(episode_id, after_s=after_s)
        if claim is None:
            raise step_in_progress()
        return await self._committed(claim, stopped(action, claim.episode, why, 0.0))

    async def _played_before(self, episode: Episode, action: Action, step: int) -> Reply:
        record = await self._parts.store.record(episode, step)
        if record is None:
            # The episode is gone, or a crash between our two looks took the step and left the episode.
            raise await self._lost(episode)
        if digest(record["action"]) != digest(action.canonical):
            detail = f"Step {step} was played with another action. The next step is {episode.step + 1}."
            raise Refusal(409, "step_conflict", detail, field="step")
        return step_reply(record, episode)


def _accounted(conclusion: Conclusion, company: Company, before: Mapping[str, int]) -> Conclusion:
    """Take the step's faults into the company's account, where it has one, and count them anew if that changes it."""
    if company.account is None:
        return conclusion
    company.account.note(conclusion.record, company.progress.view)
    counts = company.account.counts(done=conclusion.played.done)
    if counts == before:
        return conclusion
    return replace(conclusion, played=replace(conclusion.played, faults=counts))


def _ms(started: float) -> float:
    return round((perf_counter() - started) * 1000, 3)


def _out_of_order(episode: Episode, step: int) -> Refusal:
    detail = f"Step {step} is out of order; the next step of this episode is {episode.step + 1}."
    return Refusal(409, "step_out_of_order", detail, field="step")
