"""Routes for the stack as a cell among others: its name and its load, and draining it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from ...protocol.problems import refusing_outages
from ..messages.answers import Invalid, Json
from ..messages.body import as_object, parse
from ..messages.openapi import failures, takes

router = APIRouter(tags=["Cell"])


class CellDocument(BaseModel):
    """A stack as one of several."""

    name: str = Field(description="Its name, COMPANYOS_CELL; empty for a stack alone.")
    open_episodes: int = Field(description="Episodes that are not done.")
    max_episodes: int = Field(description="The most that may be open.")
    drains_s: float = Field(description="For how many seconds yet it takes no resets; 0 if it takes them.")


class DrainRequest(BaseModel):
    """How long to take no resets."""

    model_config = ConfigDict(extra="forbid")

    seconds: float = Field(ge=0, le=7 * 86400, description="For so long; 0 takes resets again at once.")


@router.get(
    "/cell",
    summary="Get the name and the load of this stack",
    response_model=CellDocument,
    responses=failures(503),
)
async def get_cell(request: Request) -> Response:
    capacity = request.app.state.episodes.capacity
    with refusing_outages():
        await capacity.count()
    return Json(capacity.document())


@router.put(
    "/cell/drain",
    summary="Take no resets for some time, and go on with the open episodes",
    response_model=CellDocument,
    openapi_extra=takes(DrainRequest),
    responses=failures(503),
)
async def drain(request: Request) -> Response:
    try:
        wanted = DrainRequest.model_validate(as_object(parse(await request.body() or b"null")))
    except ValidationError as error:
        raise Invalid.of(error) from None
    capacity = request.app.state.episodes.capacity
    with refusing_outages():
        await capacity.drain(wanted.seconds)
    return Json(capacity.document())
