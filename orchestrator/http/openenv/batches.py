"""Batches: many resets or steps in one request, processed concurrently and answered in order.

A failing item gets its own answer, `{"error": <problem document>}`; the others are unaffected. Where the stack takes
none of them now, the whole request is refused like a single one, with the time to send it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from fastapi import APIRouter, Request
from pydantic import RootModel
from starlette.responses import Response

from ...protocol.problems import Refusal, server_stopping
from ..messages.answers import Invalid, Json, document_of, problem_document, summary_of
from ..messages.body import as_object, parse
from ..messages.models import StepRequest
from ..messages.openapi import failures, takes
from . import requests
from .openenv_routes import ResetRequest

#: Fewer than a process's slots, so that a batch leaves some for others.
AT_ONCE = 32
LONGEST = 1024
#: The statuses of what may be sent again later: the stack is full, or away.
LATER = frozenset({429, 503})

router = APIRouter(prefix="/batch", tags=["Batches"])
log = structlog.get_logger(__name__)


class ResetBatch(RootModel[list[ResetRequest]]):
    """Resets, each as `POST /reset` takes it."""


class StepBatch(RootModel[list[StepRequest]]):
    """Steps, each as `POST /step` takes it; at most one of an episode."""


@router.post(
    "/reset",
    summary="Start many episodes",
    response_model=list[dict[str, Any]],
    openapi_extra=takes(ResetBatch),
    responses=failures(),
)
async def reset_batch(request: Request) -> Response:
    async def reset(wanted: dict[str, Any]) -> dict[str, Any]:
        return await requests.reset(request.app.state.episodes, wanted)

    return Json(await _each(await _items(request), reset))


@router.post(
    "/step",
    summary="Play one action in each of many episodes",
    response_model=list[dict[str, Any]],
    openapi_extra=takes(StepBatch),
    responses=failures(),
)
async def step_batch(request: Request) -> Response:
    async def step(wanted: dict[str, Any]) -> dict[str, Any]:
        return await requests.requested_step(request.app.state.episodes, wanted)

    return Json(await _each(await _items(request), step))


async def _items(request: Request) -> list[Any]:
    items = parse(await request.body() or b"null")
    if isinstance(items, list) and len(items) <= LONGEST:
        return items
    raise Invalid(
        {"type": "list_type", "loc": [], "msg": f"Input should be a list of at most {LONGEST} items"}
    )


async def _each(
    items: list[Any], work: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
) -> list[dict[str, Any]]:
    turns = asyncio.Semaphore(AT_ONCE)

    async def answered(item: Any) -> dict[str, Any]:
        async with turns:
            return await work(as_object(item))

    answers = await asyncio.gather(*map(answered, items), return_exceptions=True)
    later = [one for one in answers if isinstance(one, Refusal) and one.retryable and one.status in LATER]
    if later and len(later) == len(items):
        raise later[0]
    return [{"error": _problem(one)} if isinstance(one, BaseException) else one for one in answers]


def _problem(error: BaseException) -> dict[str, Any]:
    if isinstance(error, asyncio.CancelledError):
        error = server_stopping()
    if isinstance(error, Refusal):
        return document_of(error)
    if isinstance(error, Invalid):
        return problem_document(422, "invalid_request", summary_of(error.flaws), errors=error.flaws)
    log.error("batch_item_failed", exc_info=error)
    return problem_document(500, "internal_error", "The orchestrator failed. Nothing is wrong with the item.")
