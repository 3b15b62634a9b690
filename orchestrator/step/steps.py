"""Steps from claim to commit: each is played exactly once, despite retries and failures."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import structlog
from structlog.contextvars import bind_contextvars

from ..agent.actions import Action, ActionRefused, CallTool, parse_action
from ..agent.suggestions import undecorated
from ..agent.toolsets import Toolset
from ..execution.step_execution import StepContext
from ..execution.tool_calls import ClaimNeeded
from ..protocol.agent_tokens import agent_token_expired, agent_token_invalid
from ..protocol.problems import (
    Outage,
    Refusal,
    ServiceDefect,
    StepsForgotten,
    episode_unknown,
)
from ..protocol.records import Claim, Episode, StepOutcome
from ..protocol.replies import Reply, episode_done, step_reply
from ..protocol.trace import digest, stored
from ..runtime.components import Components
from ..runtime.in_flight import step_in_progress
from ..storage.names import episode_replaced, episode_reset
from .commits import KnownEpisodes, UnansweredCommits
from .conclusion import stop
from .playing import StepPlayer, elapsed_ms

#: An episode ends if a step has failed this often for at least `patience_s`, or for longer than `GIVE_UP_S`.
MOST_FAILURES = 3
GIVE_UP_S = 60.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class StepTarget:
    """The episode and the number that a step is meant for, and who sends it.

    Attributes:
        episode_id: The episode's id.
        step: The number that it is to have; None for the next one.
        uid: The `uid` of the episode; None for whichever has this id now.
        agent: Digest of the agent's token; None for the trainer.
    """

    episode_id: str
    step: int | None
    uid: str | None
    agent: str | None


class Steps:
    """Claims, plays and commits steps, each exactly once."""

    def __init__(self, components: Components) -> None:
        self._components = components
        self._player = StepPlayer(components)
        self._known = KnownEpisodes()
        self._unanswered = UnansweredCommits()
        self._under_way: set[asyncio.Task[Reply]] = set()

    async def step(
        self,
        episode_id: str,
        value: Any,
        *,
        step: int | None = None,
        timeout_s: float | None = None,
        uid: str | None = None,
        agent: str | None = None,
    ) -> Reply:
        """Play one action; see `Episodes.step`."""
        try:
            action = parse_action(value)
        except ActionRefused as refused:
            raise Refusal(422, "invalid_action", str(refused), field=refused.field) from None
        if isinstance(action, CallTool):
            action = self._without_prefix(action)
        # The step has its own task, so that it completes even if the client gives up or loses its connection.
        task = asyncio.create_task(self._step(StepTarget(episode_id, step, uid, agent), action))
        self._under_way.add(task)
        task.add_done_callback(self._let_go)
        return await self._within(task, timeout_s)

    def _without_prefix(self, action: CallTool) -> CallTool:
        catalog = self._components.catalogs.known
        name = undecorated(action.tool_name, catalog.tools, catalog.services)
        return replace(action, tool_name=name)

    async def finish(self, within_s: float) -> None:
        """Wait for the running steps, and cancel those that take longer."""
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

    async def _step(self, target: StepTarget, action: Action) -> Reply:
        components = self._components
        bind_contextvars(episode=target.episode_id)
        with components.in_flight.alone(target.episode_id):
            async with components.in_flight.slot():
                with components.metrics.timed("step"):
                    return await self._claim(target, action)

    async def _claim(self, target: StepTarget, action: Action) -> Reply:
        started, wanted = perf_counter(), digest(action.canonical)
        try:
            if (reply := await self._unanswered_reply(target, action, wanted)) is not None:
                return reply
            if (reply := await self._read(target, action, started)) is not None:
                return reply
            claim = await self._components.store.claim(
                target.episode_id, action=wanted, step=target.step, uid=target.uid, agent=target.agent
            )
            self._unanswered.forget(target.episode_id)
            if claim is None:
                if target.agent is not None:
                    await self._refuse_other_agent(target.episode_id, target.agent)
                return await self._not_claimed(target, action)
            return await self._attempt(claim, action, started, target)
        except Outage as outage:
            raise outage.refusal() from outage

    async def _unanswered_reply(self, target: StepTarget, action: Action, wanted: str) -> Reply | None:
        """Return the reply to a step sent again without its number, if its unanswered commit was carried out."""
        commit = self._unanswered.repeated(target.episode_id, wanted, target.agent)
        if commit is None or target.step is not None:
            return None
        episode = await self._components.store.episode(target.episode_id)
        if episode is None or (episode.world, episode.step) != (commit.world, commit.step):
            return None
        reply = await self._stored_reply(episode, action, target, commit.step)
        self._unanswered.forget(target.episode_id)
        return reply

    async def _read(self, target: StepTarget, action: Action, started: float) -> Reply | None:
        """Play a step that only reads without a claim; return None if it needs one, or the episode has changed.

        Raises:
            Outage: The database did not answer the commit, which it may have carried out.
        """
        known = self._known.take(target.episode_id)
        if known is None or target.step not in (None, known.episode.step + 1):
            return None
        try:
            if not _only_reads(action, known.episode, await self._player.tools(known.episode)):
                return None
            bind_contextvars(step=known.episode.step + 1, world=known.episode.world)
            context = await self._player.prepare(known)
            try:
                outcome = await self._player.play(context, action, started)
            except ClaimNeeded:
                self._components.progress_cache.keep(known.episode, context.progress, ended=False)
                return None
        except Outage:
            # The attempt under a claim counts as the first one.
            return None
        with self._unanswered.noted(known, outcome, target.agent):
            is_written = await self._components.store.commit_read(
                known, outcome, stored(outcome.record), uid=target.uid, agent=target.agent
            )
        if not is_written:
            return None
        self._note(outcome, context)
        return step_reply(outcome.record, known.episode)

    async def _attempt(self, claim: Claim, action: Action, started: float, target: StepTarget) -> Reply:
        bind_contextvars(step=claim.episode.step + 1, world=claim.episode.world)
        try:
            if target.step is None:
                self._components.progress_cache.refuse_lost(claim.episode)
            context = await self._player.prepare(claim)
            outcome = await self._player.play(context, action, started)
        except Outage as outage:
            outcome, context = await self._fail(claim, action, outage, started), None
        reply = await self._commit(claim, outcome, target)
        if context is not None:
            self._note(outcome, context)
        return reply

    def _note(self, outcome: StepOutcome, context: StepContext) -> None:
        """Keep what the next step needs of a committed one."""
        episode, progress, record = context.claim.episode, context.progress, outcome.record
        cache = self._components.progress_cache
        progress.step, progress.hash = record["step"], record["hash"]
        cache.keep(episode, progress, ended=record["done"])
        cache.note_answered(episode, progress.step)
        self._known.note(context.claim, outcome)
        if progress.account is not None:
            self._components.metrics.note_faults(progress.account, progress.step, done=record["done"])

    async def _fail(self, claim: Claim, action: Action, outage: Outage, started: float) -> StepOutcome:
        log.warning("step_failed", part=outage.part, reason=str(outage))
        self._components.metrics.outages.labels(outage.part).inc()
        if isinstance(outage, ServiceDefect):
            self._player.note_defect(outage, claim.episode, action)
        failures, for_s = await self._components.store.fail(claim)
        # The number of attempts alone proves nothing: a client that retries at once uses them up during a restart.
        worn_out = failures >= MOST_FAILURES and for_s >= self._components.patience_s
        if outage.hopeless or worn_out or for_s > GIVE_UP_S:
            return stop(action, claim.episode, f"{outage.code}: {outage}", elapsed_ms(started))
        raise outage

    async def _commit(self, claim: Claim, outcome: StepOutcome, target: StepTarget) -> Reply:
        episode = claim.episode
        with self._unanswered.noted(claim, outcome, target.agent):
            is_written = await self._components.store.commit(claim, outcome, stored(outcome.record))
        if not is_written:
            raise await self._lost_claim(episode, target)
        record = outcome.record
        if record["done"]:
            ended = "invalid" if record["invalid"] else "success" if record["success"] else "failure"
            self._components.metrics.episodes.labels(episode.start.scenario, ended).inc()
            await self._components.garbage.added()
        return step_reply(record, episode)

    async def _lost_claim(self, episode: Episode, target: StepTarget) -> Refusal:
        """Return why a claim was lost: to another replica, or with the episode."""
        now = await self._components.store.episode(episode.id)
        if now is None:
            return episode_unknown(episode.id)
        if now.world == episode.world:
            return step_in_progress()
        return episode_reset(episode.id) if now.is_meant(target.uid) else episode_replaced(episode.id)

    async def _not_claimed(self, target: StepTarget, action: Action) -> Reply:
        episode, step = await self._components.store.episode(target.episode_id), target.step
        if episode is None:
            raise episode_unknown(target.episode_id)
        if not episode.is_meant(target.uid):
            raise episode_replaced(episode.id)
        if step is not None and 1 <= step <= episode.step:
            return await self._stored_reply(episode, action, target, step)
        if episode.done:
            raise episode_done(episode)
        if step is None and self._components.progress_cache.remember_more(episode):
            return await self._stop(target, action, 0.0, StepsForgotten.code)
        if step is not None and step != episode.step + 1:
            raise _out_of_order(episode, step)
        return await self._stop(target, action, GIVE_UP_S, "abandoned: a failed step was not sent again")

    async def _refuse_other_agent(self, episode_id: str, agent: str) -> None:
        episode = await self._components.store.episode_of_agent(agent)
        if episode is None or episode.id != episode_id:
            raise agent_token_invalid()
        if episode.done:
            raise agent_token_expired()

    async def _stop(self, target: StepTarget, action: Action, after_s: float, why: str) -> Reply:
        """End an episode whose step has been unattended for too long."""
        claim = await self._components.store.seize(target.episode_id, after_s=after_s)
        if claim is None:
            raise step_in_progress()
        return await self._commit(claim, stop(action, claim.episode, why, 0.0), target)

    async def _stored_reply(self, episode: Episode, action: Action, target: StepTarget, step: int) -> Reply:
        record = await self._components.store.record(episode, step)
        if record is None:
            # The episode is gone, or a crash between the two reads undid the step but not the episode.
            raise await self._lost_claim(episode, target)
        if digest(record["action"]) != digest(action.canonical):
            detail = f"Step {step} was played with another action. The next step is {episode.step + 1}."
            raise Refusal(409, "step_conflict", detail, field="step")
        return step_reply(record, episode)


def _only_reads(action: Action, episode: Episode, tools: Toolset) -> bool:
    """Return whether a step only reads: a reading call, before which nothing is due, and not the last step."""
    tool = tools.get(action.tool_name) if isinstance(action, CallTool) else None
    if tool is None or not tool.service or not tool.reads or episode.step + 1 >= episode.start.max_steps:
        return False
    return not any(due is not None and due <= episode.now + tool.tick for due in episode.due.values())


def _out_of_order(episode: Episode, step: int) -> Refusal:
    """Return the refusal of a step whose number is not the next one."""
    detail = f"Step {step} is out of order; the next step of this episode is {episode.step + 1}."
    return Refusal(409, "step_out_of_order", detail, field="step")
