"""OpenEnv's own HTTP routes: health, metadata, schemas, and an episode's reset, step and state.

Unlike on OpenEnv's server, an episode lasts across requests: reset returns its `episode_id`, and the other
routes take it.
"""

from __future__ import annotations

from functools import cache
from importlib import metadata as distributions
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import ConfigDict, Field, StrictInt
from starlette.responses import Response

from companyos.sdk.splits import Split

from ...protocol.numbers import WHOLE
from ...protocol.options import ResetOptions
from ..messages.answers import OPENENV, RETRY, Json
from ..messages.body import read_object
from ..messages.models import (
    NO_EPISODE,
    About,
    Action,
    EpisodeState,
    EpisodeUidQuery,
    Health,
    ObservationDocument,
    Schemas,
    StepRequest,
    StepResponse,
)
from ..messages.openapi import ABOUT, openenv_failures, takes
from . import requests
from .injected_state import InjectedState
from .task_api import ENVIRONMENT

#: The keys of a schema that describe a field rather than its values.
_ABOUT = frozenset({"title", "default", "description", "examples"})
DISTRIBUTION = "openenv-companyos"
README = Path(__file__).parents[3] / "README.md"


def _nullable(schema: dict[str, Any]) -> None:
    """Document that null counts as absent, for every field."""
    for name, field in schema["properties"].items():
        options = field.get("anyOf") or [{key: value for key, value in field.items() if key not in _ABOUT}]
        if {"type": "null"} not in options:
            about = {key: value for key, value in field.items() if key in _ABOUT}
            schema["properties"][name] = {"anyOf": [*options, {"type": "null"}], **about}


class ResetRequest(ResetOptions):
    """The options of a reset. Every field is optional, and null counts as absent.

    Unknown fields are ignored and listed in the response; a misspelled field is refused.
    """

    model_config = ConfigDict(json_schema_extra=_nullable)

    split: Split | None = Field(
        None,
        description="With `index`, chooses a task in place of scenario and seed; alone, the task whose index is the "
        "seed, from the first again after the last.",
    )
    index: Annotated[StrictInt, Field(ge=0), WHOLE] | None = Field(
        None,
        description="Place of the task in the split, by default that of training. A task is one instance, so a seed "
        "beside it has no effect and is listed in `ignored` if it is not the task's own.",
    )
    injected_state: InjectedState | None = Field(
        None, description="Calls to play before the response, which is that of the last one."
    )


router = APIRouter(tags=[OPENENV])
EpisodeIdQuery = Annotated[str | None, Query(min_length=1, max_length=255, description="The episode.")]


# Routes are matched in this order, so the busiest come first.
@router.post(
    "/step",
    summary="Play one action",
    response_model=StepResponse,
    openapi_extra=takes(StepRequest),
    responses=openenv_failures(404, 409, 429, 503),
)
async def step(request: Request) -> Response:
    return Json(await requests.requested_step(request.app.state.episodes, await read_object(request)))


@router.post(
    "/reset",
    summary="Start an episode",
    response_model=StepResponse,
    openapi_extra=takes(ResetRequest, required=False),
    responses=openenv_failures(404, 409, 429, 503),
)
async def reset(request: Request) -> Response:
    return Json(await requests.reset(request.app.state.episodes, await read_object(request)))


@router.get(
    "/state",
    summary="Tell where an episode stands",
    response_model=EpisodeState,
    responses=openenv_failures(404, 409, 503),
)
async def state(
    request: Request, episode_id: EpisodeIdQuery = None, episode_uid: EpisodeUidQuery = None
) -> Response:
    if episode_id is None:
        return Json(NO_EPISODE)
    return Json(await request.app.state.episodes.state(episode_id, uid=episode_uid))


@router.get(
    "/health",
    summary="Tell whether the process has started",
    response_model=Health,
    responses={
        503: {"model": Health, "description": "It was never ready yet; `/ready` names what it waits for"}
    },
)
async def health(request: Request) -> Response:
    # OpenEnv's clients take 200 as leave to reset.
    if request.app.state.episodes.has_started:
        return Json({"status": "healthy"})
    return Json({"status": "unhealthy"}, 503, RETRY)


@router.get(
    "/metadata",
    summary="Tell what this environment is",
    response_model=About,
    responses=openenv_failures(),
)
async def metadata() -> Response:
    return Json(_about())


@router.get(
    "/schema",
    summary="Get the schemas of actions, observations and state",
    response_model=Schemas,
    responses=openenv_failures(),
)
async def schema() -> Response:
    return Json(_schemas())


@cache
def _about() -> dict[str, Any]:
    version, readme = _distribution()
    return {
        "name": ENVIRONMENT,
        "description": ABOUT,
        "readme_content": readme,
        "version": version,
        "author": "The CompanyOS authors",
        "documentation_url": None,
    }


def _distribution() -> tuple[str | None, str | None]:
    """Return the version and the README of the installed distribution or of a checkout."""
    try:
        packed = distributions.metadata(DISTRIBUTION)
    except distributions.PackageNotFoundError:
        return None, README.read_text(encoding="utf-8") if README.is_file() else None
    return packed["Version"], str(packed.json.get("description") or "") or None


@cache
def _schemas() -> dict[str, Any]:
    observation = ObservationDocument.model_json_schema()
    return {
        "action": Action.model_json_schema(),
        "observation": observation,
        "reset_observation": observation,
        "state": EpisodeState.model_json_schema(),
    }
