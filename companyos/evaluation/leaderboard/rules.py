"""What a run must be to be an entry: whole tasks of the test split, each played, in the version that is installed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from companyos.sdk.chaos import ChaosRefused, parse_chaos
from companyos.sdk.scenario import ScenarioUnknown, find
from companyos.sdk.splits import SEEDS, Split

from ..runs import EpisodeRecord, EpisodeTask, Run, RunRequest
from ..runs.request import FORMATS
from .problems import EntryProblem, ProblemCode

#: The most episodes of an entry, so that a request cannot ask for more than can be counted.
MOST_EPISODES: Final = 1_000_000


def run_problems(run: Run) -> list[EntryProblem]:
    """Return what keeps a run from being an entry, as far as its request and its records tell."""
    return list(_request_problems(run.request)) or list(_record_problems(run))


def _request_problems(request: RunRequest) -> Iterator[EntryProblem]:
    yield from (problem for each in request.scenarios.items() for problem in _version_problems(*each))
    if request.start is not None or request.snapshot is not None:
        yield EntryProblem(ProblemCode.PART_OF_A_TASK, "its episodes start in the middle of a task")
    count = len(request.seeds)
    if not count or count % 2 or list(request.seeds) != list(SEEDS[Split.TEST][:count]):
        first = SEEDS[Split.TEST][0]
        yield EntryProblem(
            ProblemCode.SEEDS_OUTSIDE_SPLIT, f"its seeds are not whole pairs, counted from {first}"
        )
    try:
        for setting in request.chaos:
            parse_chaos(setting)
    except ChaosRefused as refused:
        yield EntryProblem(ProblemCode.RUN_UNREADABLE, str(refused))


def _version_problems(name: str, version: int) -> Iterator[EntryProblem]:
    try:
        installed = find(name).version
    except ScenarioUnknown as unknown:
        yield EntryProblem(ProblemCode.SCENARIO_UNKNOWN, str(unknown))
        return
    if version != installed:
        yield EntryProblem(
            ProblemCode.VERSION_DIFFERS,
            f"it is of version {version} of {name}; installed is version {installed}",
        )


def _record_problems(run: Run) -> Iterator[EntryProblem]:
    request = run.request
    asked = len(request.scenarios) * len(request.chaos) * len(request.seeds) * request.repeats
    if not 0 < asked <= MOST_EPISODES:
        yield EntryProblem(
            ProblemCode.RUN_UNREADABLE, f"it asks for {asked} episodes; an entry has 1 to {MOST_EPISODES}"
        )
        return
    records = {record.key: record for record in run.episodes}
    tasks = {task.key: task for task in request.tasks()}
    yield from (
        EntryProblem(ProblemCode.EPISODE_MISSING, "it has no record", key)
        for key in tasks
        if key not in records
    )
    for key, record in records.items():
        if key not in tasks:
            yield EntryProblem(ProblemCode.RUN_UNREADABLE, "the run does not ask for this episode", key)
        else:
            yield from _inconsistencies(request, tasks[key], record)


def _inconsistencies(request: RunRequest, task: EpisodeTask, record: EpisodeRecord) -> Iterator[EntryProblem]:
    if record.version != request.scenarios[task.scenario]:
        asked = request.scenarios[task.scenario]
        yield EntryProblem(
            ProblemCode.VERSION_DIFFERS, f"it is of version {record.version}, the run of {asked}", task.key
        )
    found = (record.scenario, record.seed, record.pair, record.chaos, record.repeat)
    if found != (task.scenario, task.seed, task.seed // 2, task.chaos_label, task.repeat):
        yield EntryProblem(ProblemCode.RUN_UNREADABLE, "its record is of another task than its key", task.key)
    if not record.is_scored or record.invalid:
        yield EntryProblem(ProblemCode.EPISODE_INVALID, "the environment failed in it", task.key)
    usage = record.usage
    counts = (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)
    if not all(_is_amount(each, int) for each in counts) or not _is_amount(
        usage.cost_usd or 0.0, (int, float)
    ):
        yield EntryProblem(ProblemCode.RUN_UNREADABLE, "its tokens or its cost are no amounts", task.key)


def _is_amount(value: object, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool) and 0 <= value < float("inf")


def head_problems(
    request: RunRequest, task: EpisodeTask, trace: Sequence[Mapping[str, Any]]
) -> list[EntryProblem]:
    """Return in what a trace is not one of the episode that a run asks for.

    Args:
        request: What the run asks for.
        task: The episode.
        trace: Its head, then its steps.
    """
    head, *steps = trace
    expected = _head_of(request, task)
    different = [name for name, value in expected.items() if head.get(name) != value]
    if "version" in different:
        detail = f"its trace is of version {head.get('version')}, and the run of {expected['version']}"
        return [EntryProblem(ProblemCode.VERSION_DIFFERS, detail, task.key)]
    if dict(head["chaos"]).get("digest") != parse_chaos(task.chaos).digest or any(
        "chaos" in one for one in steps
    ):
        different.append("chaos")
    detail = f"its trace has another {', '.join(different)}"
    return [EntryProblem(ProblemCode.TRACE_OF_ANOTHER_TASK, detail, task.key)] if different else []


def _head_of(request: RunRequest, task: EpisodeTask) -> dict[str, Any]:
    """Return what the head of a trace says, which leaves out the default formats."""
    return {
        "version": request.scenarios[task.scenario],
        "scenario": task.scenario,
        "seed": task.seed,
        "guidance": request.guidance or "none",
        "size": request.size or "default",
        "rewards": request.rewards,
        "reward_mode": "dense",
        "tools": request.tools if isinstance(request.tools, str) else list(request.tools),
        **{
            name: None if getattr(request, name) == usual else getattr(request, name)
            for name, usual in FORMATS.items()
        },
        **dict.fromkeys(("origin", "chaos_now", "earlier")),
    }
