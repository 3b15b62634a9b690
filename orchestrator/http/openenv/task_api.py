"""The Task API: the scenarios' seeds as numbered tasks in three disjoint splits.

Task `i` of a split is scenario `i mod n` (by name, of the n that belong to the split) at the split's first seed plus
`i div n`, so that any range of neighboring tasks covers every scenario of the split.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Request
from pydantic import Field, StrictInt, ValidationError
from starlette.responses import Response

from companyos.sdk.splits import SEEDS, Split

from ...episodes.facade import Episodes
from ...protocol.problems import Refusal
from ..messages.answers import OPENENV, Invalid, Json
from ..messages.body import read_object
from ..messages.models import Strict
from ..messages.openapi import openenv_failures, takes
from ..messages.responses import OneTask, TaskCount, TaskList, TaskRange

ENVIRONMENT = "companyos"
MAX_TASKS = 1000


@dataclass(frozen=True)
class NumberedTask:
    """One instance of a scenario, by its index in a split."""

    id: str
    split: Split
    index: int
    scenario: str
    seed: int


class OfSplit(Strict):
    """A request about a whole split."""

    split: Split


class OfIndex(OfSplit):
    """A request for one task."""

    index: StrictInt


class OfRange(OfSplit):
    """A request for consecutive tasks; `stop` is excluded."""

    start: StrictInt | None = None
    stop: StrictInt | None = Field(
        None, description=f"At most {MAX_TASKS} after `start`, which is the default."
    )


Wanted = TypeVar("Wanted", bound=OfSplit)

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
    wanted = await _wanted(env_name, request, OfSplit)
    total = count(wanted.split, request.app.state.episodes)
    tasks = _tasks(wanted.split, range(min(total, MAX_TASKS)), request.app.state.episodes)
    return Json({"tasks": tasks, "env_name": ENVIRONMENT, "num_tasks": total})


@router.post(
    "/{env_name}/num_tasks",
    summary="Count the tasks of a split",
    response_model=TaskCount,
    openapi_extra=takes(OfSplit),
)
async def num_tasks(env_name: EnvironmentName, request: Request) -> Response:
    wanted = await _wanted(env_name, request, OfSplit)
    return Json({"num_tasks": count(wanted.split, request.app.state.episodes)})


@router.post("/{env_name}/task", summary="Get one task", response_model=OneTask, openapi_extra=takes(OfIndex))
async def get_task(env_name: EnvironmentName, request: Request) -> Response:
    wanted = await _wanted(env_name, request, OfIndex)
    return Json({"task": task(wanted.split, wanted.index, request.app.state.episodes)})


@router.post(
    "/{env_name}/task_range",
    summary="Get consecutive tasks",
    response_model=TaskRange,
    openapi_extra=takes(OfRange),
)
async def get_task_range(env_name: EnvironmentName, request: Request) -> Response:
    wanted = await _wanted(env_name, request, OfRange)
    total = count(wanted.split, request.app.state.episodes)
    start = 0 if wanted.start is None else wanted.start
    stop = min(start + MAX_TASKS, total) if wanted.stop is None else wanted.stop
    if not 0 <= start <= stop <= min(start + MAX_TASKS, total):
        raise _no_such_index(f"0 <= start <= stop <= {total} and at most {MAX_TASKS} tasks at a time")
    return Json({"tasks": _tasks(wanted.split, range(start, stop), request.app.state.episodes)})


def chosen_task(options: Mapping[str, Any], episodes: Episodes) -> NumberedTask | None:
    """Return the task that a reset selects by `split` and `index`, or None.

    Raises:
        Invalid: One of the two is missing or invalid.
        Refusal: 400 if the split has no task with that index.
    """
    if not {"split", "index"} & options.keys():
        return None
    wanted = _read(OfIndex, {name: options[name] for name in ("split", "index") if name in options})
    return task(wanted.split, wanted.index, episodes)


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
    return NumberedTask(f"{scenario}:{seed}", split, index, scenario, seed)


async def _wanted(env_name: str, request: Request, model: type[Wanted]) -> Wanted:
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


def _no_such_index(bounds: str) -> Refusal:
    return Refusal(400, "invalid_task_index", f"This split has no such task: {bounds}.", field="index")
