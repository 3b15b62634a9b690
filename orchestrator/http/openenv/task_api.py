"""The Task API: the scenarios' seeds as numbered tasks in three disjoint splits.

Task `i` of a split is scenario `i mod n` (by name, of the n that belong to the split) at the split's first seed plus
`i div n`, so that any range of neighboring tasks covers every scenario of the split. Its `group` is the scenario, and
its `difficulty` the most steps that the scenario's oracle needs: keys by which OpenEnv's samplers (RFC 013) choose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Request
from pydantic import Field, StrictInt, ValidationError
from starlette.responses import Response

from companyos.sdk.splits import SEEDS, Split

from ...episodes.facade import Episodes
from ...protocol.numbers import WHOLE
from ...protocol.options import Seed
from ...protocol.problems import Refusal
from ..messages.answers import OPENENV, Invalid, Json
from ..messages.body import read_object
from ..messages.models import Strict
from ..messages.openapi import openenv_failures, takes
from ..messages.responses import OneTask, TaskCount, TaskList, TaskRange

ENVIRONMENT = "companyos"
#: The tasks of a list without a range, and the most of a range: one and a half megabytes.
LISTED, MAX_TASKS = 1000, 10_000


@dataclass(frozen=True)
class NumberedTask:
    """One instance of a scenario, by its index in a split."""

    id: str
    split: Split
    index: int
    scenario: str
    seed: int
    group: str


class OfSplit(Strict):
    """A request about a whole split."""

    split: Split


class OfIndex(OfSplit):
    """A request for one task."""

    index: Annotated[StrictInt, WHOLE]


class OfReset(Strict):
    """What chooses a task in a reset."""

    split: Split = Split.TRAIN
    index: Annotated[StrictInt, WHOLE] | None = None
    seed: Seed = 0


class OfRange(OfSplit):
    """A request for consecutive tasks; `stop` is excluded."""

    start: Annotated[StrictInt, WHOLE] | None = None
    stop: Annotated[StrictInt, WHOLE] | None = Field(
        None,
        description=f"At most {MAX_TASKS} after `start`; without it, the range goes to the end of the split.",
    )


Wanted = TypeVar("Wanted", bound=Strict)

router = APIRouter(tags=[OPENENV], responses=openenv_failures(404))
EnvironmentName = Annotated[str, Path(examples=[ENVIRONMENT])]


@router.get("/list_environments", summary="List the environments of this server", response_model=list[str])
async def list_environments() -> Response:
    return Json([ENVIRONMENT])


@router.get("/{env_name}/splits", summary="List the splits", response_model=list[dict[str, str]])
async def list_splits(env_name: EnvironmentName) -> Response:
    _check_name(env_name)
    return Json([{"name": split, "type": split} for split in Split])


@router.post(
    "/{env_name}/tasks",
    summary="List the first tasks of a split",
    response_model=TaskList,
    openapi_extra=takes(OfSplit),
)
async def list_tasks(env_name: EnvironmentName, request: Request) -> Response:
    wanted = await _read_request(env_name, request, OfSplit)
    episodes: Episodes = request.app.state.episodes
    total = count(wanted.split, episodes)
    tasks = await _rows(_tasks(wanted.split, range(min(total, LISTED)), episodes), episodes)
    return Json({"tasks": tasks, "env_name": ENVIRONMENT, "num_tasks": total})


@router.post(
    "/{env_name}/num_tasks",
    summary="Count the tasks of a split",
    response_model=TaskCount,
    openapi_extra=takes(OfSplit),
)
async def num_tasks(env_name: EnvironmentName, request: Request) -> Response:
    wanted = await _read_request(env_name, request, OfSplit)
    return Json({"num_tasks": count(wanted.split, request.app.state.episodes)})


@router.post("/{env_name}/task", summary="Get one task", response_model=OneTask, openapi_extra=takes(OfIndex))
async def get_task(env_name: EnvironmentName, request: Request) -> Response:
    wanted = await _read_request(env_name, request, OfIndex)
    episodes: Episodes = request.app.state.episodes
    [row] = await _rows([task(wanted.split, wanted.index, episodes)], episodes)
    return Json({"task": row})


@router.post(
    "/{env_name}/task_range",
    summary="Get consecutive tasks",
    response_model=TaskRange,
    openapi_extra=takes(OfRange),
)
async def get_task_range(env_name: EnvironmentName, request: Request) -> Response:
    wanted = await _read_request(env_name, request, OfRange)
    episodes: Episodes = request.app.state.episodes
    total = count(wanted.split, episodes)
    start = 0 if wanted.start is None else wanted.start
    stop = total if wanted.stop is None else wanted.stop
    if not 0 <= start <= stop <= min(start + MAX_TASKS, total):
        bounds = f"0 <= start <= stop <= {total} and at most {MAX_TASKS} tasks at a time"
        raise _no_such_index(bounds, field="start" if start < 0 else "stop")
    return Json({"tasks": await _rows(_tasks(wanted.split, range(start, stop), episodes), episodes)})


def chosen_task(options: Mapping[str, Any], episodes: Episodes) -> NumberedTask | None:
    """Return the task that a reset selects by `split` and `index`, or None.

    The split is by default that of training. Without an index, the seed is the index, from the first task again after
    the last one.

    Raises:
        Invalid: The split, the index or the seed is invalid.
        Refusal: 400 if the split has no task with that index.
    """
    if not {"split", "index"} & options.keys():
        return None
    wanted = _read(OfReset, {name: options[name] for name in OfReset.model_fields if name in options})
    if wanted.index is not None:
        return task(wanted.split, wanted.index, episodes)
    return task(wanted.split, wanted.seed % count(wanted.split, episodes), episodes)


def count(split: Split, episodes: Episodes) -> int:
    """Return the number of tasks in `split`."""
    return len(SEEDS[split]) * len(_names(split, episodes))


def task(split: Split, index: int, episodes: Episodes) -> NumberedTask:
    """Return one task.

    Raises:
        Refusal: 400 if the split has no task with that index.
    """
    total = count(split, episodes)
    if not 0 <= index < total:
        raise _no_such_index(f"0 <= index < {total}")
    return _tasks(split, range(index, index + 1), episodes)[0]


def _tasks(split: Split, indices: range, episodes: Episodes) -> list[NumberedTask]:
    names = _names(split, episodes)
    seeds = SEEDS[split]
    return [_task(split, index, names[index % len(names)], seeds[index // len(names)]) for index in indices]


def _names(split: Split, episodes: Episodes) -> list[str]:
    return [card["name"] for card in episodes.scenarios() if split in card["splits"]]


def _task(split: Split, index: int, scenario: str, seed: int) -> NumberedTask:
    return NumberedTask(f"{scenario}:{seed}", split, index, scenario, seed, group=scenario)


async def _rows(tasks: list[NumberedTask], episodes: Episodes) -> list[dict[str, Any]]:
    """Return tasks as they are listed, with their difficulty."""
    steps = {
        name: await episodes.oracle_steps(name) for name in dict.fromkeys(each.scenario for each in tasks)
    }
    return [{**asdict(each), "difficulty": steps[each.scenario]} for each in tasks]


async def _read_request(env_name: str, request: Request, model: type[Wanted]) -> Wanted:
    wanted = _read(model, await read_object(request))
    _check_name(env_name)
    return wanted


def _read(model: type[Wanted], values: Mapping[str, Any]) -> Wanted:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise Invalid.of(error) from None


def _check_name(env_name: str) -> None:
    if env_name.lower() != ENVIRONMENT:
        detail = f"There is no environment of that name. This server has {ENVIRONMENT!r}."
        raise Refusal(404, "environment_unknown", detail)


def _no_such_index(bounds: str, *, field: str = "index") -> Refusal:
    return Refusal(400, "invalid_task_index", f"This split has no such task: {bounds}.", field=field)
