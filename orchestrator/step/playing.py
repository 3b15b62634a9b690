"""Plays a step: carries out its intent at the services, grades it and returns its outcome, not yet committed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import assert_never

import structlog

from companyos.sdk.scenario import Answer
from companyos.sdk.simtime import to_iso

from ..agent.actions import Action
from ..agent.intents import (
    Abandons,
    Asks,
    BadArguments,
    Calls,
    Finishes,
    Intent,
    Lists,
    NoSuchTool,
    Refuses,
    SaysNothing,
    Waits,
    intent_of,
)
from ..agent.observations import StepResult, invalid_arguments, no_call, tool_not_found, within_reach
from ..agent.tools import FINISH, REFUSE, WAIT
from ..agent.toolsets import Toolset
from ..chaos import injector, recovery_tools
from ..execution.step_execution import StepContext, StepExecution
from ..execution.tool_calls import ClaimNeeded, carry_out
from ..progress.progress_cache import EpisodeProgress
from ..protocol.problems import Outage, Refusal, ServiceDefect, StepCrashed
from ..protocol.records import Claim, Episode, StepOutcome
from ..runtime.components import Components
from ..worlds.scenario_code import failures_named
from .conclusion import conclude

log = structlog.get_logger(__name__)


class StepPlayer:
    """Plays steps. Their outcomes take effect when they are committed."""

    def __init__(self, components: Components) -> None:
        self._components = components

    async def tools(self, episode: Episode) -> Toolset:
        """Return the tools that the agent has."""
        catalog = await self._components.catalogs.complete()
        return self._components.instances.tools_of(episode.start, catalog, *episode.chaoses)

    async def prepare(self, claim: Claim) -> StepContext:
        """Return the context of a step.

        Raises:
            Outage: A service, the database or the scenario's code failed.
        """
        episode, catalog = claim.episode, await self._components.catalogs.complete()
        with _crashes_named():
            prepared = await self._components.instances.under(episode)
            progress = await self._components.progress_cache.take(episode, catalog)
        return StepContext(claim, prepared, progress, catalog, await self.tools(episode))

    async def play(self, context: StepContext, action: Action, started: float) -> StepOutcome:
        """Play a step that began at `started` of the process' clock; its context's progress then includes it.

        Raises:
            Outage: A service did not do its part, or the scenario's code failed. The step may be sent again.
            ClaimNeeded: The step is not claimed and does more than read.
        """
        components, episode = self._components, context.claim.episode
        with components.barrier.armed(episode.world, context.claim.epoch) as watch:
            execution = StepExecution(components, context, watch)
            with _crashes_named():
                if episode.put_since is not None:
                    await execution.arm(context.prepared.armed)
                done = await carry_out_intent(intent_of(action, context.tools, episode.now), execution)
        # Predicates are a scenario's code: if one fails, the step has no known reward.
        with failures_named(episode.start.scenario):
            outcome = _with_fault_counts(
                conclude(done, execution, action, elapsed_ms(started)), context.progress, episode
            )
        for defect in execution.defects:
            self.note_defect(defect, episode, action)
        context.progress.note(outcome.record)
        components.metrics.steps.labels(str(done.call)).inc()
        return outcome

    def note_defect(self, defect: ServiceDefect, episode: Episode, action: Action) -> None:
        """Count a service's defect, and log it with the input that shows it."""
        self._components.metrics.defects.labels(defect.part).inc()
        log.error(
            "service_defect",
            episode=episode.id,
            step=episode.step + 1,
            service=defect.part,
            reason=defect.reason,
            answer=defect.excerpt,
            action=action.canonical,
        )


async def carry_out_intent(intent: Intent, execution: StepExecution) -> StepResult:
    """Carry out an intent, and everything that becomes due in the meantime.

    Raises:
        Outage: A service did not do its part. Nothing is graded; the step may be sent again.
    """
    tools = execution.context.tools
    match intent:
        case Calls():
            return within_reach(await _call(intent, execution), tools.offered, tools.catalog)
        case Asks():
            return await recovery_tools.ask(intent, execution)
        case Waits(until):
            await execution.advance(until)
            return _wait_result(execution)
        case Lists():
            listed = tools.listed(execution.episode.start.tools_format)
            return StepResult(text=listed.text, tools=listed.cards)
        case Finishes():
            return _finish(intent, execution.context.prepared.instance.answer)
        case Refuses() | Abandons():
            return _end(intent)
        case NoSuchTool(name, exists):
            return tool_not_found(name, tools.offered, exists=exists)
        case BadArguments(name, flaw):
            return invalid_arguments(name, flaw.text, flaw.facts)
        case SaysNothing():
            return no_call()
        case _:
            assert_never(intent)


async def _call(intent: Calls, execution: StepExecution) -> StepResult:
    await execution.advance(execution.agenda.now + intent.tool.tick)
    plan = execution.context.plan
    return await (carry_out(intent, execution) if plan is None else injector.inject(intent, execution, plan))


def _wait_result(execution: StepExecution) -> StepResult:
    now = to_iso(execution.agenda.now)
    result = {"sim_now": now, "waited_s": execution.elapsed_s}
    return StepResult(WAIT.name, result, text=f"You waited. It is {now} now.")


def _finish(intent: Finishes, wanted: Answer | None) -> StepResult:
    """End the episode, unless the task asks for a typed answer and this is not one."""
    if wanted is not None and (flaw := wanted.flaw(intent.answer)) is not None:
        facts = {"field": "answer", **({} if intent.answer is not None else {"required_field": "answer"})}
        return invalid_arguments(FINISH.name, f"answer: {flaw}.", facts)
    return _end(intent)


def _end(ends: Finishes | Refuses | Abandons) -> StepResult:
    called = {Finishes: FINISH.name, Refuses: REFUSE.name}.get(type(ends))
    return StepResult(called, {"ended": True}, text="Your work on this task has ended.", ends=ends)


def _with_fault_counts(outcome: StepOutcome, progress: EpisodeProgress, before: Episode) -> StepOutcome:
    """Apply a step's faults to the progress' account, if it has one, and add their counts if these change."""
    if progress.account is None:
        return outcome
    progress.account.note(outcome.record, progress.grader.view)
    counts = progress.account.counts(done=outcome.record["done"])
    return outcome if counts == before.faults else replace(outcome, faults=counts)


@contextmanager
def _crashes_named() -> Iterator[None]:
    """Turn an unexpected exception in the block into an outage; its step would stay open otherwise.

    Raises:
        StepCrashed: It was one.
    """
    try:
        yield
    except (Outage, Refusal, ClaimNeeded):
        raise
    except Exception as error:
        # Boundary of a step: whatever fails in it, the episode must not wait for it.
        log.exception("step_crashed")
        raise StepCrashed("orchestrator", repr(error)) from error


def elapsed_ms(started: float) -> float:
    """Return the milliseconds since an instant of the process' clock."""
    return round((perf_counter() - started) * 1000, 3)
