"""Tells defects from outages: what a healthy service has failed on twice is not tried a third time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from ..protocol.problems import ServiceDefect, ServiceFailed
from ..services.gateway import Gateway

Answer = TypeVar("Answer")

#: The refusal of a call on which a healthy service fails.
SERVICE_ERROR: Final = "service_error"
_NOTHING_DONE: Final = (
    "The service has a fault and cannot carry out this call. Nothing was done, and repeating it cannot help. "
    "Call with other arguments, or use another tool."
)
_DONE: Final = (
    "The service has a fault: it carried out this call and cannot return its result. Read what came of it before you "
    "go on."
)


async def ask_twice(
    gateway: Gateway, service: str, ask: Callable[[], Awaitable[Answer]], *, has_failed: bool
) -> Answer:
    """Return a service's answer; a request on which it failed is repeated once.

    Args:
        gateway: The way to the services.
        service: The service.
        ask: Sends the request, which is idempotent.
        has_failed: Whether the step was sent before and failed. A malformed answer may come from a proxy that is not
            ready yet, so only a step that is sent again turns it into a defect.

    Raises:
        ServiceDefect: The healthy service failed again.
        Outage: It did not answer. The step may be sent again.
    """
    try:
        return await ask()
    except ServiceFailed as failed:
        await _refuse_unhealthy(gateway, failed)
        if failed.is_unreadable and not has_failed:
            raise
    try:
        return await ask()
    except ServiceFailed as failed:
        await _refuse_unhealthy(gateway, failed)
        raise ServiceDefect(service, failed.reason, failed.excerpt) from failed


async def _refuse_unhealthy(gateway: Gateway, failed: ServiceFailed) -> None:
    if not await gateway.is_ready(failed.part):
        raise failed


def refusal(*, was_done: bool) -> dict[str, Any]:
    """Return the problem of a call on which a healthy service fails, and which it may have committed before."""
    return {"type": SERVICE_ERROR, "detail": _DONE if was_done else _NOTHING_DONE}
