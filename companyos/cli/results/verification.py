"""Verifies the episodes of a run: every trace is regraded offline, and some are played again on a stack."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

import typer

from companyos.client import CompanyosEnv, CompanyosError, Refused
from companyos.embedded.errors import Misuse, StackError
from companyos.evaluation.agents import Oracle
from companyos.evaluation.leaderboard.evidence import TraceGrade, grade_problems, replay_problems
from companyos.evaluation.leaderboard.problems import EntryProblem, ProblemCode
from companyos.evaluation.leaderboard.rules import head_problems
from companyos.evaluation.runs import EpisodeRecord, EpisodeTask, Run
from companyos.evaluation.runs.folder import TRACES
from companyos.scenario import find
from companyos.sdk.asking import Refused as OracleRefused

from ..audit import MALFORMED, broken_links_of, instance_of, read_trace, regraded_trace
from ..demo import trainer_stack
from ..episodes.replay import UNPLAYABLE, first_difference

T = TypeVar("T")
Connect = Callable[[], CompanyosEnv]
Trace = Sequence[Mapping[str, Any]]

#: Seconds between two lines of progress.
EVERY_S: Final = 5.0


@dataclass(frozen=True)
class StackOptions:
    """The stack on which episodes are played again: that at `url`, the home's, or one started for the purpose."""

    home: Path | None
    url: str | None
    token: str | None


@contextmanager
def replay_stack(options: StackOptions) -> Iterator[Connect]:
    """Yield a function that connects to a stack, which starts when it is first called if none runs."""
    with ExitStack() as closing:

        @cache
        def connect() -> CompanyosEnv:
            typer.echo("connecting to a stack …", err=True)
            address, key = closing.enter_context(trainer_stack(options.home, options.url, options.token))
            return closing.enter_context(CompanyosEnv(address, token=key))

        yield connect


def offline_problems(run: Run) -> list[EntryProblem]:
    """Return in what the traces and the records of a run contradict each other, or its request."""
    records = {record.key: record for record in run.episodes}
    tasks = with_progress(list(run.request.tasks()), f"{run.name}: traces regraded")
    return [problem for task in tasks for problem in _offline_problems(run, task, records[task.key])]


def live_problems(connect: Connect, run: Run, keys: Sequence[str]) -> list[EntryProblem]:
    """Play episodes of a run again, and return in what they differ.

    Raises:
        StackError: The stack failed.
    """
    if not keys:
        return []
    env, records = connect(), {record.key: record for record in run.episodes}
    tasks = [task for task in run.request.tasks() if task.key in keys]
    try:
        chosen = with_progress(tasks, f"{run.name}: episodes played again")
        return [problem for task in chosen for problem in _live_problems(env, run, task, records[task.key])]
    except CompanyosError as failure:
        raise StackError(str(failure)) from failure


def with_progress(things: Sequence[T], label: str) -> Iterator[T]:
    """Yield things, and tell how many were done: at once, every few seconds, and at the end."""
    due = 0.0
    for number, thing in enumerate(things):
        if time.monotonic() >= due:
            due = time.monotonic() + EVERY_S
            typer.echo(f"{label} {number}/{len(things)}", file=sys.stderr)
        yield thing
    typer.echo(f"{label} {len(things)}/{len(things)}", file=sys.stderr)


def _offline_problems(run: Run, task: EpisodeTask, record: EpisodeRecord) -> list[EntryProblem]:
    try:
        trace = _trace(run, task)
        broken = broken_links_of(trace)
        if broken:
            return [EntryProblem(ProblemCode.TRACE_ALTERED, broken[0], task.key)]
        if found := head_problems(run.request, task, trace):
            return found
    except (Misuse, *MALFORMED) as failure:
        return [EntryProblem(ProblemCode.TRACE_UNREADABLE, str(failure), task.key)]
    try:
        instance = instance_of(trace[0])
    except Misuse as failure:
        return [EntryProblem(ProblemCode.TRACE_OF_ANOTHER_TASK, str(failure), task.key)]
    try:
        grade = regraded_trace(trace, instance)
        parts = (instance.max_steps, grade.episode_return, grade.success, grade.differences)
        return grade_problems(run, task, record, TraceGrade(trace, *parts))
    except (Misuse, *MALFORMED) as failure:
        return [EntryProblem(ProblemCode.TRACE_UNREADABLE, str(failure), task.key)]


def _live_problems(
    env: CompanyosEnv, run: Run, task: EpisodeTask, record: EpisodeRecord
) -> list[EntryProblem]:
    try:
        difference = first_difference(env, _trace(run, task))
    except Refused as refusal:
        if refusal.status not in UNPLAYABLE:
            raise
        return [EntryProblem(ProblemCode.REPLAY_DIFFERS, f"the stack cannot play it: {refusal}", task.key)]
    if difference is not None:
        return [EntryProblem(ProblemCode.REPLAY_DIFFERS, " ".join(difference.text.split()), task.key)]
    card = env.grade()
    oracle_steps = None if record.oracle_steps is None else _oracle_steps(env, run, task)
    return replay_problems(record, card, oracle_steps)


def _oracle_steps(env: CompanyosEnv, run: Run, task: EpisodeTask) -> int | None:
    """Return the steps in which the oracle solves a task; None if it does not."""
    oracle = Oracle(find(task.scenario))
    result = env.reset(**run.request.reset_options(task))
    oracle.start(result.observation)
    try:
        while not result.done:
            result = env.step(oracle.act(result.observation))
    except OracleRefused:
        return None
    return int(result.observation.step) if result.metadata.success else None


def _trace(run: Run, task: EpisodeTask) -> Trace:
    return read_trace(str(run.path / TRACES / f"{task.key}.jsonl"))
