"""Verifies the episodes of a run: every trace is regraded offline, and some are played again on a stack."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from companyos.client import CompanyosEnv, CompanyosError, Refused
from companyos.embedded.errors import Misuse, StackError
from companyos.evaluation.agents import Oracle
from companyos.evaluation.leaderboard.evidence import TraceGrade, grade_problems, replay_problems
from companyos.evaluation.leaderboard.problems import EntryProblem, ProblemCode
from companyos.evaluation.leaderboard.rules import head_problems
from companyos.evaluation.replay import UNPLAYABLE, first_difference
from companyos.evaluation.runs import EpisodeRecord, EpisodeTask, Run
from companyos.evaluation.runs.folder import TRACES
from companyos.sdk.scenario import find
from companyos.sdk.scripts.asking import Refused as OracleRefused

from ..audit import MALFORMED, broken_links_of, instance_of, read_trace, regraded_trace
from ..demo import trainer_stack
from ..output import echo

T = TypeVar("T")
#: Returns the address and the token of a stack.
Connect = Callable[[], tuple[str, str | None]]
Trace = Sequence[Mapping[str, Any]]

#: Seconds between two lines of progress, and episodes that are played again at once.
EVERY_S: Final = 5.0
CONCURRENCY: Final = 8


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
        def connect() -> tuple[str, str | None]:
            echo("connecting to a stack …", err=True)
            return closing.enter_context(trainer_stack(options.home, options.url, options.token))

        yield connect


def offline_problems(run: Run) -> list[EntryProblem]:
    """Return in what the traces and the records of a run contradict each other, or its request."""
    records = {record.key: record for record in run.episodes}
    tasks = list(run.request.tasks())
    found = (_offline_problems(run, task, records[task.key]) for task in tasks)
    return [
        problem
        for each in with_progress(found, len(tasks), f"{run.name}: traces regraded")
        for problem in each
    ]


def live_problems(connect: Connect, run: Run, keys: Sequence[str]) -> list[EntryProblem]:
    """Play episodes of a run again, and return in what they differ.

    Raises:
        StackError: The stack failed.
    """
    if not keys:
        return []
    (address, key), records = connect(), {record.key: record for record in run.episodes}
    tasks = [task for task in run.request.tasks() if task.key in keys]

    def play_again(task: EpisodeTask) -> list[EntryProblem]:
        with CompanyosEnv(address, token=key) as env:
            return _live_problems(env, run, task, records[task.key])

    pool = ThreadPoolExecutor(CONCURRENCY)
    try:
        found = with_progress(pool.map(play_again, tasks), len(tasks), f"{run.name}: episodes played again")
        return [problem for each in found for problem in each]
    except CompanyosError as failure:
        raise StackError(str(failure)) from failure
    finally:
        pool.shutdown(cancel_futures=True)


def with_progress(things: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Yield things as they are done, and tell how many: at once, every few seconds, and at the end."""
    due = 0.0
    echo(f"{label} 0/{total}", err=True)
    for done, thing in enumerate(things, start=1):
        if done == total or time.monotonic() >= due:
            due = time.monotonic() + EVERY_S
            echo(f"{label} {done}/{total}", err=True)
        yield thing


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
    card = env.grade()
    if card["invalid"]:
        raise StackError(
            f"The stack failed in {task.key}, which says nothing about the run. Verify it again."
        )
    if difference is not None:
        return [EntryProblem(ProblemCode.REPLAY_DIFFERS, " ".join(difference.text.split()), task.key)]
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
