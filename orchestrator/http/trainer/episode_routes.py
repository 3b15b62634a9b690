"""Routes for episodes: list them, look at one, read its trace and its grade card, close it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field, StrictInt
from starlette.responses import Response

from ...protocol.numbers import WHOLE
from ...protocol.trace import canonical
from ..messages.answers import Json
from ..messages.body import parse
from ..messages.models import EpisodeUidQuery, PageLimit, Strict
from ..messages.openapi import failures
from ..messages.responses import AdviceDocument, EpisodePage, EpisodeSummary, GradeCard, ValueDocument
from .episode_paths import EpisodeRoute

#: An id may contain slashes, so the routes below an id must come first.
router = APIRouter(prefix="/episodes", tags=["Episodes"], route_class=EpisodeRoute)
EpisodeIdPath = Annotated[str, Path(min_length=1, max_length=255)]


#: A chaos setting: a level, a name, or a profile.
_CHAOS: dict[str, Any] = {
    "oneOf": [{"type": "integer", "minimum": 0, "maximum": 5}, {"type": "string"}, {"type": "object"}],
    "examples": [3, "bad-day", {"preset": "storm", "only": ["service"]}],
}
CHAOS_BODY = {"requestBody": {"required": True, "content": {"application/json": {"schema": _CHAOS}}}}


class EpisodeQuery(Strict):
    """Which episodes to list."""

    scenario: str | None = Field(None, max_length=64)
    done: bool | None = None
    success: bool | None = None
    cursor: str | None = Field(None, max_length=1024, description="`next_cursor` of the previous page.")
    limit: PageLimit = 50


class TraceFormat(StrEnum):
    """One JSON list, or one JSON object per line."""

    JSON = "json"
    JSONL = "jsonl"


@router.get(
    "",
    summary="List episodes, oldest first",
    response_model=EpisodePage,
    responses=failures(503),
)
async def list_episodes(request: Request, wanted: Annotated[EpisodeQuery, Query()]) -> Response:
    return Json(await request.app.state.episodes.episodes(**wanted.model_dump()))


@router.get(
    "/{episode_id:path}/trace",
    summary="Get the steps of an episode in order",
    response_model=list[dict[str, Any]],
    responses={200: {"content": {"application/x-ndjson": {}}}, **failures(404, 503)},
)
async def get_trace(
    request: Request,
    episode_id: EpisodeIdPath,
    form: Annotated[TraceFormat, Query(alias="format")] = TraceFormat.JSON,
    after: Annotated[
        Annotated[StrictInt, WHOLE] | None,
        Query(ge=0, lt=2**31, description="Only the steps after this one, without the start."),
    ] = None,
) -> Response:
    records = await request.app.state.episodes.trace(episode_id, after=after)
    if form is TraceFormat.JSON:
        return Response(canonical(records), media_type="application/json")
    lines = b"".join(canonical(record) + b"\n" for record in records)
    return Response(lines, media_type="application/x-ndjson")


@router.get(
    "/{episode_id:path}/grade",
    summary="Get the grade card of an episode",
    response_model=GradeCard,
    responses=failures(404, 409, 503),
)
async def get_grade(request: Request, episode_id: EpisodeIdPath) -> Response:
    return Json(await request.app.state.episodes.grade(episode_id))


@router.post(
    "/{episode_id:path}/advice",
    summary="Ask for the oracle's next call at the state of an episode",
    response_model=AdviceDocument,
    responses=failures(404, 409, 429, 503),
)
async def advise(request: Request, episode_id: EpisodeIdPath) -> Response:
    return Json(await request.app.state.episodes.advice.advise(episode_id))


@router.post(
    "/{episode_id:path}/value",
    summary="Ask whether the oracle solves the task from the state of an episode",
    response_model=ValueDocument,
    responses=failures(404, 409, 429, 503),
)
async def value(request: Request, episode_id: EpisodeIdPath) -> Response:
    return Json(await request.app.state.episodes.advice.value(episode_id))


@router.get(
    "/{episode_id:path}",
    summary="Get one episode",
    response_model=EpisodeSummary,
    responses=failures(404, 503),
)
async def get_episode(request: Request, episode_id: EpisodeIdPath) -> Response:
    return Json(await request.app.state.episodes.episode(episode_id))


@router.put(
    "/{episode_id:path}/chaos",
    summary="Put another chaos in force in a running episode",
    description="From the next step on. Faults that befell the company at the start stay as they are.",
    response_model=EpisodeSummary,
    openapi_extra=CHAOS_BODY,
    responses=failures(404, 409, 429, 503),
)
async def set_chaos(request: Request, episode_id: EpisodeIdPath) -> Response:
    wanted = parse(await request.body())
    return Json(await request.app.state.episodes.chaos_override.put(episode_id, wanted))


@router.delete(
    "/{episode_id:path}", summary="Close an episode", status_code=204, responses=failures(404, 409, 503)
)
async def close_episode(
    request: Request, episode_id: EpisodeIdPath, episode_uid: EpisodeUidQuery = None
) -> Response:
    await request.app.state.episodes.close(episode_id, uid=episode_uid)
    return Response(status_code=204)
