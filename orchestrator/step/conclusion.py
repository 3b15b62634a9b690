"""Concludes a step: grades it, records it and chains it to the step before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

from ..agent.actions import Action, CallTool
from ..agent.compact_text import OwnChange, compact_result_text
from ..agent.intents import Abandons, Finishes, Refuses
from ..agent.observation_text import result_text
from ..agent.observations import ErrorType, StepResult, ToolError, observation
from ..execution.step_execution import StepExecution
from ..execution.tool_calls import StepContext
from ..grading.rewards import Ending, StepFacts, entries, payout, total
from ..protocol.effects import OverwrittenOwn, overwritten
from ..protocol.options import ObservationFormat
from ..protocol.records import NOTHING, Episode, StepOutcome
from ..protocol.trace import next_hash
from ..protocol.trace_records import CallOutcome, TraceRecord


def concluded(
    done: StepResult, execution: StepExecution, context: StepContext, action: Action, took_ms: float
) -> StepOutcome:
    """Grade a step and return its outcome.

    The episode's progress includes the step: if the outcome is not committed, the progress must be discarded.
    """
    episode = context.episode
    rendered = _rendering(done, execution, context, action)
    facts, own = _judged(done, execution, context)
    lines = entries(episode.start.profile, facts)
    earned, over = total(lines), facts.ending is not None
    record = TraceRecord(
        step=execution.number,
        action=action.canonical,
        observation=observation(
            done,
            step=execution.number,
            max_steps=episode.start.max_steps,
            now=execution.agenda.now,
            elapsed_s=execution.elapsed_s,
            rendered=rendered,
        ),
        reward=payout(episode.start.mode, earlier=episode.total, now=earned, done=over),
        done=over,
        now=execution.agenda.now,
        events=execution.events,
        changes=execution.changes,
        faults=[*([done.fault] if done.fault else []), *done.armed, *execution.faults],
        ledger=lines,
        outside=facts.outside,
        violation=done.violation,
        call=done.operation,
        outcome=done.call,
        took_ms=took_ms,
        put=episode.put_since,
        defects=[defect.document for defect in execution.defects],
        own=own,
    )
    return _chained(record, execution, episode, episode.total + earned, facts.ending)


def stopped(action: Action, episode: Episode, why: str, took_ms: float) -> StepOutcome:
    """Return the outcome of a step that the stack could not carry out: the episode ends and is not scored."""
    number = episode.step + 1
    # The agent reads this; why it was stopped may name hosts or quote a scenario's code, and is for the trainer.
    message = "The company's systems failed. This episode was stopped and is not scored. Send reset to start another."
    result = StepResult(error=ToolError(ErrorType.TRANSPORT, "episode_invalid", message), text=message)
    record = TraceRecord(
        step=number,
        action=action.canonical,
        observation=observation(
            result, step=number, max_steps=episode.start.max_steps, now=episode.now, elapsed_s=0
        ),
        reward=NOTHING,
        done=True,
        now=episode.now,
        events=[],
        changes=[],
        faults=[],
        ledger=[],
        outside=[],
        violation=None,
        call=None,
        outcome=CallOutcome.FAILED,
        took_ms=took_ms,
        put=episode.put_since,
    )
    outcome = StepOutcome(
        step=number,
        now=episode.now,
        due=episode.due,
        total=episode.total,
        hash="",
        record={},
        done=True,
        truncated=True,
        invalid=why,
    )
    return _written_down(record, episode, outcome)


def _rendering(
    done: StepResult, execution: StepExecution, context: StepContext, action: Action
) -> Callable[[Any], str]:
    """Return how results are shown as text in this episode. The episode's progress must not include the step yet."""
    if context.episode.start.observation_format is ObservationFormat.FULL:
        return result_text
    return partial(compact_result_text, change=_own_change(done, execution, context, action))


def _own_change(
    done: StepResult, execution: StepExecution, context: StepContext, action: Action
) -> OwnChange | None:
    """Return the change of the agent's own call; None if it only read."""
    tool = context.tools.get(done.tool_name or "")
    if tool is None or tool.is_idempotent or not isinstance(action, CallTool):
        return None
    if not tool.service or not isinstance(done.result, Mapping):
        return None
    view, names = context.progress.grader.view, done.result.keys()
    keys = [change.row_key for change in execution.changes]
    rows = [view.row(*key) for key in keys if (key.service, key.id) == (tool.service, done.result.get("id"))]
    # Rows of several tables may have the object's id; its own has the most of what is shown.
    before = max(filter(None, rows), key=lambda row: len(row.keys() & names), default={})
    return OwnChange(action.arguments, before, execution.agenda.now)


def _judged(
    done: StepResult, execution: StepExecution, context: StepContext
) -> tuple[StepFacts, list[OverwrittenOwn]]:
    """Return a step's facts, and the agent's own writes that its changes do not show."""
    grader = context.progress.grader
    if done.violation is not None:
        grader.note_violation(execution.number, done.violation)
    view = grader.view
    own = overwritten(execution.written, lambda row_key: view.row(*row_key))
    facts = grader.advance(execution.number, execution.written, context.episode.total)
    return replace(facts, call=done.call, ending=_ending(done, execution, context)), own


def _ending(done: StepResult, execution: StepExecution, context: StepContext) -> Ending | None:
    match done.ends:
        case Finishes(answer):
            return context.progress.grader.finished(answer)
        case Refuses(reason_code, evidence):
            return context.progress.grader.refused(reason_code, evidence)
        case Abandons():
            return Ending.FAILURE
    timeout = execution.number >= context.episode.start.max_steps
    return Ending.TIMEOUT if timeout else None


def _chained(
    record: TraceRecord,
    execution: StepExecution,
    episode: Episode,
    ledger_total: Decimal,
    ending: Ending | None,
) -> StepOutcome:
    outcome = StepOutcome(
        step=execution.number,
        now=execution.agenda.now,
        due=execution.agenda.due,
        total=ledger_total,
        hash="",
        record={},
        done=ending is not None,
        terminated=ending is not None and ending is not Ending.TIMEOUT,
        truncated=ending is Ending.TIMEOUT,
        success=ending.succeeded if ending else None,
    )
    return _written_down(record, episode, outcome)


def _written_down(record: TraceRecord, episode: Episode, outcome: StepOutcome) -> StepOutcome:
    """Return the outcome with its complete record, whose hash covers the outcome too."""
    document = {
        **record.document,
        "in_force": {"level": episode.chaos.level, "name": episode.chaos.name},
        "return": float(episode.paid + record.reward),
        "success": outcome.success,
        "terminated": outcome.terminated,
        "truncated": outcome.truncated,
        "invalid": outcome.invalid,
    }
    chained = next_hash(episode.hash, document)
    document |= {"previous": episode.hash, "hash": chained}
    return replace(outcome, record=document, hash=chained)
