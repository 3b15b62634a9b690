"""Health, readiness and metrics of a service.

Health and readiness need no credential. A no names the parts that are waited for, and the log the reasons. Metrics
require the operator token or the orchestrator's admin token.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

import structlog
from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from ..errors import OperatorRefused
from .access import Credential, bearer_token, is_one_of, open_to_anyone, requires

T = TypeVar("T")

#: Longest wait for whatever readiness depends on. Whoever asks has an answer within two seconds.
READY_S = 1.5

router = APIRouter(include_in_schema=False)
log = structlog.get_logger(__name__)


@requires(Credential.OPERATOR_TOKEN, Credential.ADMIN_TOKEN)
async def require_operator(request: Request) -> None:
    """Refuse a call without the operator token or the admin token."""
    state: Any = request.app.state
    token = bearer_token(request.headers.get("authorization", ""))
    if not is_one_of(token, [state.operator_token, state.admin_token]):
        raise OperatorRefused("Send the operator token as `Authorization: Bearer …`.")


async def in_time(check: Awaitable[T]) -> T | str:
    """Return the result of a readiness check, or the sentence that it takes too long."""
    task = asyncio.ensure_future(check)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    try:
        # Not a timeout around the check: the Redis client swallows a cancellation while it connects.
        await asyncio.wait([task], timeout=READY_S)
        return task.result() if task.done() else f"no answer within {READY_S:g} s"
    finally:
        task.cancel()


@router.get("/health")
@open_to_anyone
async def health() -> dict[str, str]:
    return {"status": "healthy"}


@router.get("/ready")
@open_to_anyone
async def ready(request: Request) -> Response:
    reasons = await request.app.state.why_not_ready()
    if not reasons:
        return JSONResponse({"status": "ready"})
    log.warning("not_ready", parts=reasons)
    return JSONResponse({"status": "waiting", "waiting_for": [*reasons]}, status_code=503)


@router.get("/metrics", dependencies=[Depends(require_operator)])
async def metrics(request: Request) -> Response:
    page: Response = request.app.state.metrics.page()
    return page
