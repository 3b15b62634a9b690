"""Routes for scenarios, the tool manifest, metrics and readiness."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from ..messages.answers import RETRY, Json
from ..messages.models import Readiness
from ..messages.openapi import failures
from ..messages.responses import ScenarioCard, ScenarioSummary, ToolManifest

router = APIRouter(tags=["Scenarios"])
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


@router.get(
    "/manifest",
    summary="Get the tools in OpenAI function format",
    response_model=ToolManifest,
    responses=failures(),
)
async def manifest(request: Request) -> Response:
    return Json(request.app.state.episodes.manifest())


@router.get(
    "/scenarios", summary="List the scenarios", response_model=list[ScenarioSummary], responses=failures()
)
async def list_scenarios(request: Request) -> Response:
    return Json(request.app.state.episodes.scenarios())


@router.get(
    "/scenarios/{name}",
    summary="Get the card of one scenario",
    response_model=ScenarioCard,
    responses=failures(404),
)
async def get_scenario(request: Request, name: Annotated[str, Path(max_length=64)]) -> Response:
    return Json(request.app.state.episodes.scenario(name))


@router.get(
    "/metrics",
    summary="Get the process' metrics for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **failures()},
)
async def metrics(request: Request) -> Response:
    return Response(request.app.state.episodes.metrics(), media_type=PROMETHEUS)


@router.get(
    "/ready",
    summary="Tell whether everything the episodes need answers",
    response_model=Readiness,
    responses={503: {"model": Readiness, "description": "Something does not answer"}},
)
async def ready(request: Request) -> Response:
    found = await request.app.state.episodes.ready()
    if found["ready"]:
        return Json({"ready": True})
    # The causes stay in the log, because this route needs no token.
    return Json({"ready": False, "waiting_for": found["waiting_for"]}, 503, RETRY)
