"""What the record of an episode must say, by its regraded trace and by a replay."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from companyos.client.pages.door import ABANDON, STEPS_FACTOR

from ..runs import EpisodeEnding, EpisodeRecord, EpisodeTask, Run
from ..runs.grades import graded
from ..runs.request import Door
from .problems import EntryProblem, ProblemCode

#: Endings of an episode that the agent left before its end.
_LEFT = frozenset({EpisodeEnding.BUDGET, EpisodeEnding.GAVE_UP, EpisodeEnding.AGENT_ERROR})


@dataclass(frozen=True)
class TraceGrade:
    """The grade of a trace, recomputed from the changes that it records.

    Attributes:
        trace: Its head, then its steps.
        max_steps: The most steps of the task, unless the run says otherwise.
        success: Whether the task was solved; None if the episode was left.
        differences: In what the trace is graded wrongly, in words.
    """

    trace: Sequence[Mapping[str, Any]]
    max_steps: int
    episode_return: float
    success: bool | None
    differences: Sequence[str]


def grade_problems(
    run: Run, task: EpisodeTask, record: EpisodeRecord, grade: TraceGrade
) -> list[EntryProblem]:
    """Return in what the trace of an episode, or the record, differs from the grade."""
    if grade.differences:
        return [EntryProblem(ProblemCode.TRACE_MISGRADED, text, record.key) for text in grade.differences[:1]]
    head, last = grade.trace[0], grade.trace[-1]
    most = _most_steps(run, task, grade.max_steps)
    if head["max_steps"] != most:
        detail = f"its trace allows {head['max_steps']} steps, and the run {most}"
        return [EntryProblem(ProblemCode.TRACE_OF_ANOTHER_TASK, detail, record.key)]
    expected = {
        "episode_return": grade.episode_return,
        "success": grade.success is True,
        "steps": len(grade.trace) - 1,
        "max_steps": most,
        "terminated": last.get("terminated", False),
        "truncated": last.get("truncated", False),
        "trace_hash": last["hash"],
    }
    return [*_differences(record, expected), *_ending_problems(run, record, last)]


def replay_problems(
    record: EpisodeRecord, card: Mapping[str, Any], oracle_steps: int | None
) -> list[EntryProblem]:
    """Return in what a record differs from the grade card of its replay, and from the steps of the oracle.

    Args:
        record: The record.
        card: The grade card of the episode, played again.
        oracle_steps: The steps in which the oracle solved the task just now; None if the record does not tell
            the oracle's steps.
    """
    found = list(_differences(record, graded(card)))
    if record.oracle_steps is not None and record.oracle_steps != oracle_steps:
        detail = f"the oracle took {oracle_steps} steps, and its record says {record.oracle_steps}"
        found.append(EntryProblem(ProblemCode.ORACLE_DIFFERS, detail, record.key))
    return found


def _differences(record: EpisodeRecord, expected: Mapping[str, Any]) -> Iterator[EntryProblem]:
    for name, value in expected.items():
        if (recorded := getattr(record, name)) != value:
            code = ProblemCode.REWARD_DIFFERS if name == "episode_return" else ProblemCode.GRADE_DIFFERS
            yield EntryProblem(
                code, f"its record says {name} {recorded!r:.60}; it is {value!r:.60}", record.key
            )


def _ending_problems(run: Run, record: EpisodeRecord, last: Mapping[str, Any]) -> Iterator[EntryProblem]:
    limit = run.request.budgets.steps
    if limit is not None and record.steps > limit:
        yield EntryProblem(
            ProblemCode.GRADE_DIFFERS, f"it has {record.steps} steps, and the run allows {limit}", record.key
        )
    possible = {_ending(last)} if last.get("done") else _LEFT
    if record.ended not in possible:
        detail = (
            f"its record says that it ended as {record.ended}; it ended as {' or '.join(sorted(possible))}"
        )
        yield EntryProblem(ProblemCode.GRADE_DIFFERS, detail, record.key)


def _ending(last: Mapping[str, Any]) -> EpisodeEnding:
    # An agent in pages that has spent its actions abandons the episode.
    if last["truncated"] or last["action"].get("type") == ABANDON["type"]:
        return EpisodeEnding.TIMEOUT
    refused = last["action"].get("tool_name") == "refuse"
    return EpisodeEnding.REFUSED if refused else EpisodeEnding.FINISHED


def _most_steps(run: Run, task: EpisodeTask, own: int) -> int:
    """Return the most steps that the run gives to an episode, whose task gives `own`."""
    ratio = run.request.budgets.steps_over_oracle
    level = (task.scenario, task.chaos_label)
    of_level = (record for record in run.episodes if (record.scenario, record.chaos) == level)
    longest = max((record.oracle_steps or 0 for record in of_level), default=0)
    if ratio is not None and longest:
        return ceil(ratio * longest)
    return ceil(STEPS_FACTOR * own) if run.request.door is not Door.TOOLS else own
