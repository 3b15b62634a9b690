"""Prefetch: a trainer announces upcoming resets, so that their companies are ready in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, RootModel, ValidationError
from starlette.responses import Response

from ...episodes.facade import Episodes, ResetOptions
from ...protocol.options import CompanyOptions, Seed
from ..messages.answers import Invalid, Json
from ..messages.body import as_object, parse
from ..messages.openapi import failures, takes
from ..messages.slips import FIELDS, refuse_slips
from .openenv_routes import ResetRequest
from .requests import reset_options

LONGEST = 256
#: The fields of resets that differ only in their seed.
SHARED = FIELDS - {"seed"} | {"seeds"}

router = APIRouter(tags=["Batches"])
Seeds = Annotated[list[Seed], Field(min_length=1, max_length=LONGEST)]


class ResetsOfSeeds(CompanyOptions):
    """Resets that differ only in seed. Options that do not decide the company are checked and ignored."""

    seeds: Seeds = Field(description="The seeds to come, soonest first.")


class UpcomingResets(RootModel[ResetsOfSeeds | Annotated[list[ResetRequest], Field(max_length=LONGEST)]]):
    """Upcoming resets: seeds with the options that they share, or a list of bodies of `POST /reset`."""


class PrefetchResponse(BaseModel):
    """How many of the announced resets' companies are known, queued and refused."""

    known: int = Field(description="Loaded or announced before, or repeated.")
    queued: int = Field(description="Prepared from now on, in the background.")
    refused: int = Field(description="Without room beside the companies in use; their resets prepare them.")


@router.post(
    "/prefetch",
    summary="Prepare the companies of resets to come",
    status_code=202,
    response_model=PrefetchResponse,
    openapi_extra=takes(UpcomingResets),
    responses=failures(404, 503),
)
async def prefetch(request: Request) -> Response:
    episodes = request.app.state.episodes
    wanted = parse(await request.body() or b"null")
    return Json(asdict(await episodes.prefetch.add(upcoming_resets(episodes, wanted))), 202)


def upcoming_resets(episodes: Episodes, wanted: Any) -> list[ResetOptions]:
    """Return the options of the resets in a body.

    Raises:
        Invalid: One of them cannot be read; `loc` begins with its index in the list.
        Refusal: 400 if a split has no task with the given index.
    """
    if not isinstance(wanted, list):
        return _of_seeds(episodes, as_object(wanted))
    if not 0 < len(wanted) <= LONGEST:
        raise Invalid({"type": "list_length", "loc": [], "msg": f"Name 1 to {LONGEST} resets"})
    return [_options_of(episodes, index, item) for index, item in enumerate(wanted)]


def _of_seeds(episodes: Episodes, wanted: Mapping[str, Any]) -> list[ResetOptions]:
    refuse_slips(wanted, SHARED)
    try:
        seeds = ResetsOfSeeds.model_validate({"seeds": wanted.get("seeds")}).seeds
    except ValidationError as error:
        raise Invalid.of(error) from None
    shared = {name: value for name, value in wanted.items() if name != "seeds"}
    if shared.get("index") is not None:
        msg = "A task is one instance; name the split alone, whose tasks are then counted by the seeds"
        raise Invalid({"type": "task_conflict", "loc": ["index"], "msg": msg})
    return [_without_snapshot(reset_options(episodes, {**shared, "seed": seed})) for seed in seeds]


def _options_of(episodes: Episodes, index: int, item: Any) -> ResetOptions:
    try:
        return _without_snapshot(reset_options(episodes, as_object(item)))
    except Invalid as invalid:
        raise invalid.within(index) from None


def _without_snapshot(options: ResetOptions) -> ResetOptions:
    if options.snapshot is not None:
        msg = "A snapshot keeps its company loaded; leave this reset out"
        raise Invalid({"type": "snapshot_decides", "loc": ["snapshot"], "msg": msg})
    return options
