"""Concludes a step: grades it, records it and chains it to the step before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from ..grading.rewards import Ending, StepFacts, entries, payout, total
from ..protocol.effects import EventFault, OverwrittenOwn, overwritten
from ..protocol.options import ObservationFormat, chaos_summary
from ..protocol.records import NOTHING, Episode, StepOutcome
from ..protocol.trace import next_hash
from ..protocol.trace_records import CallOutcome, Fault


def conclude(done: StepResult, execution: StepExecution, action: Action, took_ms: float) -> StepOutcome:
    """Grade a step and return its outcome.

    The episode's progress includes the step: if the outcome is not committed, the progress must be discarded.
    """
    episode, agenda = execution.episode, execution.agenda
    seen = _observation(done, execution, action)
    facts, own = _grade(done, execution)
    lines = entries(episode.start.profile, facts)
    earned, over = total(lines), facts.ending is not None
    reward = payout(episode.start.mode, earlier=episode.total, now=earned, done=over)
    faults: list[Fault | EventFault] = [*filter(None, (done.fault,)), *done.armed, *execution.faults]
    record = _record(
        episode,
        action,
        seen,
        took_ms,
        defects=[defect.document for defect in execution.defects],
        own=[write.document for write in own],
        reward=float(reward),
        done=over,
        sim_now=agenda.now,
        events=execution.events,
        changes=[change.document for change in execution.changes],
        faults=[fault.document for fault in faults],
        ledger=[line.document for line in lines],
        outside=[list(row_key) for row_key in facts.outside],
        violation=done.violation,
        call=done.operation,
        outcome=str(done.call),
    )
    return StepOutcome(_chain(record, episode, reward, facts.ending), agenda.due, episode.total + earned)


def stop(action: Action, episode: Episode, why: str, took_ms: float) -> StepOutcome:
    """Return the outcome of a step that the stack could not carry out: the episode ends and is not scored."""
    # The agent reads this; why it was stopped may name hosts or quote a scenario's code, and is for the trainer.
    message = "The company's systems failed. This episode was stopped and is not scored. Send reset to start another."
    result = StepResult(error=ToolError(ErrorType.TRANSPORT, "episode_invalid", message), text=message)
    number, most = episode.step + 1, episode.start.max_steps
    seen = observation(result, step=number, max_steps=most, now=episode.now, elapsed_s=0)
    record = _record(episode, action, seen, took_ms)
    return StepOutcome(_chain(record, episode, NOTHING, Ending.TIMEOUT, why), episode.due, episode.total)


def _record(
    episode: Episode,
    action: Action,
    seen: Mapping[str, Any],
    took_ms: float,
    *,
    defects: Sequence[Mapping[str, Any]] = (),
    own: Sequence[Mapping[str, Any]] = (),
    **played: Any,
) -> dict[str, Any]:
    """Return the record of an episode's next step without its ending; what was not played has no `played` parts."""
    put = episode.put_since
    return {
        **({} if put is None else {"chaos": chaos_summary(put.chaos)}),
        **({"defects": defects} if defects else {}),
        **({"own": own} if own else {}),
        "step": episode.step + 1,
        "action": action.canonical,
        "observation": seen,
        "reward": 0.0,
        "done": True,
        "sim_now": episode.now,
        "events": [],
        "changes": [],
        "faults": [],
        "ledger": [],
        "outside": [],
        "violation": None,
        "call": None,
        "outcome": str(CallOutcome.FAILED),
        "took_ms": took_ms,
        **played,
    }


def _observation(done: StepResult, execution: StepExecution, action: Action) -> dict[str, Any]:
    """Return what the agent sees of a step. The episode's progress must not include the step yet."""
    start = execution.episode.start
    rendered: Callable[[Any], str] = result_text
    if start.observation_format is not ObservationFormat.FULL:
        rendered = partial(compact_result_text, change=_own_change(done, execution, action))
    return observation(
        done,
        step=execution.number,
        max_steps=start.max_steps,
        now=execution.agenda.now,
        elapsed_s=execution.elapsed_s,
        rendered=rendered,
    )


def _own_change(done: StepResult, execution: StepExecution, action: Action) -> OwnChange | None:
    """Return the change of the agent's own call; None if it only read."""
    tool = execution.context.tools.get(done.tool_name or "")
    if tool is None or tool.is_idempotent or not isinstance(action, CallTool):
        return None
    if not tool.service or not isinstance(done.result, Mapping):
        return None
    view, names = execution.context.progress.grader.view, done.result.keys()
    keys = [change.row_key for change in execution.changes]
    rows = [view.row(*key) for key in keys if (key.service, key.id) == (tool.service, done.result.get("id"))]
    # Rows of several tables may have the object's id; its own has the most of what is shown.
    before = max(filter(None, rows), key=lambda row: len(row.keys() & names), default={})
    return OwnChange(action.arguments, before, execution.agenda.now)


def _grade(done: StepResult, execution: StepExecution) -> tuple[StepFacts, list[OverwrittenOwn]]:
    """Return a step's facts, and the agent's own writes that its changes do not show."""
    grader = execution.context.progress.grader
    if done.violation is not None:
        grader.note_violation(execution.number, done.violation)
    view = grader.view
    own = overwritten(execution.written, lambda row_key: view.row(*row_key))
    facts = grader.advance(execution.number, execution.written, execution.episode.total)
    return replace(facts, call=done.call, ending=_ending(done, execution)), own


def _ending(done: StepResult, execution: StepExecution) -> Ending | None:
    match done.ends:
        case Finishes(answer):
            return execution.context.progress.grader.finished(answer)
        case Refuses(reason_code, evidence):
            return execution.context.progress.grader.refused(reason_code, evidence)
        case Abandons():
            return Ending.FAILURE
    timeout = execution.number >= execution.episode.start.max_steps
    return Ending.TIMEOUT if timeout else None


def _chain(
    record: Mapping[str, Any],
    episode: Episode,
    reward: Decimal,
    ending: Ending | None,
    invalid: str | None = None,
) -> dict[str, Any]:
    """Return the complete record, whose hash covers the outcome of the episode too."""
    document = {
        **record,
        "in_force": {"level": episode.chaos.level, "name": episode.chaos.name},
        "return": float(episode.paid + reward),
        "success": None if ending is None or invalid else ending.succeeded,
        "terminated": ending not in (None, Ending.TIMEOUT),
        "truncated": ending is Ending.TIMEOUT,
        "invalid": invalid,
    }
    return document | {"previous": episode.hash, "hash": next_hash(episode.hash, document)}
