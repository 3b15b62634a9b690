"""Snapshots, restores and forks over HTTP."""

from __future__ import annotations

from typing import Annotated, TypeVar

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, Field, StrictBool, StrictInt, StrictStr, ValidationError
from starlette.responses import Response

from ...protocol.numbers import WHOLE
from ..messages.answers import Invalid, Json
from ..messages.body import read_object
from ..messages.models import PageLimit, Strict
from ..messages.openapi import failures, takes
from ..messages.responses import EpisodeSummary, ForkedEpisodes, SnapshotDocument, SnapshotPage
from .episode_paths import EpisodeRoute
from .episode_routes import EpisodeIdPath

MOST_BRANCHES = 256
#: The name of a snapshot's file.
SUFFIX = ".companyos-snapshot.gz"
_FILE = {"schema": {"type": "string", "format": "binary"}}
ARCHIVE_BODY = {"requestBody": {"required": True, "content": {"application/octet-stream": _FILE}}}

router = APIRouter(tags=["Branches"], route_class=EpisodeRoute)
SnapshotIdPath = Annotated[str, Path(min_length=1, max_length=64)]
SnapshotName = Annotated[StrictStr, Field(min_length=1, max_length=200)]
Asked = TypeVar("Asked", bound=BaseModel)


class SnapshotRequest(Strict):
    """The options of a snapshot."""

    name: SnapshotName | None = Field(None, description="Your name for it; need not be unique.")
    pinned: StrictBool = Field(False, description="Keep it even if it is unused for long.")


class RestoreRequest(Strict):
    """The snapshot to restore."""

    snapshot_id: Annotated[StrictStr, Field(min_length=1, max_length=64)]


class ForkRequest(Strict):
    """The number of branches to open."""

    count: Annotated[StrictInt, Field(ge=1, le=MOST_BRANCHES), WHOLE]


class SnapshotQuery(Strict):
    """The filters and the page of a list of snapshots."""

    name: str | None = Field(None, max_length=200)
    cursor: str | None = Field(None, max_length=64, description="`next_cursor` of the previous page.")
    limit: PageLimit = 50


class ImportQuery(Strict):
    """The options of an import."""

    name: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        None, description="Your name for it; by default its name in the archive."
    )
    pinned: bool = Field(False, description="Keep it even if it is unused for long.")


class Archived(Response):
    """A snapshot as a file."""

    media_type = "application/gzip"


@router.post(
    "/episodes/{episode_id:path}/snapshots",
    summary="Take a snapshot of an episode between two steps",
    response_model=SnapshotDocument,
    openapi_extra=takes(SnapshotRequest, required=False),
    responses=failures(404, 409, 429, 503),
)
async def take_snapshot(request: Request, episode_id: EpisodeIdPath) -> Response:
    wanted = await _read_options(request, SnapshotRequest)
    taken = await request.app.state.episodes.branches.snapshot(
        episode_id, name=wanted.name, pinned=wanted.pinned
    )
    return Json(taken)


@router.post(
    "/episodes/{episode_id:path}/restore",
    summary="Restore an episode to a snapshot",
    response_model=EpisodeSummary,
    openapi_extra=takes(RestoreRequest),
    responses=failures(404, 409, 429, 503),
)
async def restore_episode(request: Request, episode_id: EpisodeIdPath) -> Response:
    wanted = await _read_options(request, RestoreRequest)
    return Json(await request.app.state.episodes.branches.restore(episode_id, wanted.snapshot_id))


@router.post(
    "/episodes/{episode_id:path}/fork",
    summary="Fork an episode into independent ones",
    response_model=ForkedEpisodes,
    openapi_extra=takes(ForkRequest),
    responses=failures(404, 409, 429, 503),
)
async def fork_episode(request: Request, episode_id: EpisodeIdPath) -> Response:
    wanted = await _read_options(request, ForkRequest)
    opened = await request.app.state.episodes.branches.fork(episode_id, wanted.count)
    return Json({"episodes": opened})


@router.get(
    "/snapshots",
    summary="List snapshots, oldest first",
    response_model=SnapshotPage,
    responses=failures(429, 503),
)
async def list_snapshots(request: Request, wanted: Annotated[SnapshotQuery, Query()]) -> Response:
    return Json(await request.app.state.episodes.branches.snapshots(**wanted.model_dump()))


@router.get(
    "/snapshots/{snapshot_id}",
    summary="Get one snapshot",
    response_model=SnapshotDocument,
    responses=failures(404, 429, 503),
)
async def get_snapshot(request: Request, snapshot_id: SnapshotIdPath) -> Response:
    return Json(await request.app.state.episodes.branches.kept(snapshot_id))


@router.get(
    "/snapshots/{snapshot_id}/export",
    summary="Export a snapshot as a file that another stack can import",
    response_class=Archived,
    responses=failures(404, 429, 503),
)
async def export_snapshot(request: Request, snapshot_id: SnapshotIdPath) -> Response:
    data = await request.app.state.episodes.archives.export(snapshot_id)
    disposition = f'attachment; filename="{snapshot_id}{SUFFIX}"'
    return Archived(data, headers={"content-disposition": disposition})


@router.post(
    "/snapshots/import",
    summary="Import a snapshot from a file that a stack exported",
    status_code=201,
    response_model=SnapshotDocument,
    openapi_extra=ARCHIVE_BODY,
    responses=failures(404, 409, 413, 429, 503),
)
async def import_snapshot(request: Request, wanted: Annotated[ImportQuery, Query()]) -> Response:
    data = await request.body()
    taken = await request.app.state.episodes.archives.import_(data, name=wanted.name, pinned=wanted.pinned)
    return Json(taken, 201)


@router.delete(
    "/snapshots/{snapshot_id}",
    summary="Delete a snapshot",
    status_code=204,
    responses=failures(404, 429, 503),
)
async def drop_snapshot(request: Request, snapshot_id: SnapshotIdPath) -> Response:
    await request.app.state.episodes.branches.drop(snapshot_id)
    return Response(status_code=204)


async def _read_options(request: Request, model: type[Asked]) -> Asked:
    try:
        return model.model_validate(await read_object(request))
    except ValidationError as error:
        raise Invalid.of(error) from None
