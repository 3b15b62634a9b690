"""Turns an endpoint's errors into failures whose messages help the person who started the run."""

import os
import re
from collections.abc import Mapping
from typing import Any, Final

from .endpoint import ContextOverflow, EndpointFailed
from .settings import ModelSettings

_MOST_SHOWN: Final = 300
_BAD_REQUEST: Final = 400
_TOO_LARGE: Final = 413
_OUTAGE: Final = 500
#: What a status means for the person who started the run.
_PLAINLY: Final[Mapping[int, str]] = {
    400: "it does not accept the request",
    401: "it refuses the key in {variable}",
    402: "it wants to be paid first",
    403: "it does not allow this with the key in {variable}",
    404: "it does not know the model, or the URL is wrong",
    422: "it does not accept the request",
    429: "the rate limit is reached, or the quota is used up",
}
#: What endpoints say about a prompt that is too long; few have an error code for it.
_TOO_LONG: Final = re.compile(
    r"context[ _-]?(length|size|window)|maximum context|(prompt|input) is too long|too many (input )?tokens"
    r"|(maximum|max) (input )?(number of )?tokens",
    re.IGNORECASE,
)


def failure_of(error: Exception, settings: ModelSettings) -> EndpointFailed:
    """Return the failure that an error of a client library stands for."""
    status = getattr(error, "status_code", None)
    text = f"{getattr(error, 'body', None) or ''} {error}"
    shown = _shown(error, settings)
    if _is_overflow(status, text):
        return ContextOverflow(f"{where(settings)}: {shown}")
    return EndpointFailed(f"{where(settings)}: {_plainly(status, error, settings)}{shown}")


def unreadable(answer: Any, settings: ModelSettings) -> EndpointFailed:
    """Return the failure of an endpoint whose response does not follow its protocol."""
    shown = str(answer)[:_MOST_SHOWN]
    return EndpointFailed(f"{where(settings)} answered with something else than a chat message: {shown!r}")


def where(settings: ModelSettings) -> str:
    """Return which model failed, and at which endpoint."""
    return f"{settings.model} at {settings.base_url or 'its vendor'}"


def _is_overflow(status: int | None, message: str) -> bool:
    return status == _TOO_LARGE or (status == _BAD_REQUEST and _TOO_LONG.search(message) is not None)


def _plainly(status: int | None, error: Exception, settings: ModelSettings) -> str:
    """Return what an error means, in plain words; nothing if its own message has to do."""
    if status is None:
        return "it cannot be reached. " if type(error).__name__ == "APIConnectionError" else ""
    reason = _PLAINLY.get(status, "it has an outage" if status >= _OUTAGE else "")
    return reason and f"{reason.format(variable=settings.api_key_variable)}. "


def _shown(error: Exception, settings: ModelSettings) -> str:
    """Return an error's message without the key, which some endpoints echo."""
    key = os.environ.get(settings.api_key_variable)
    text = str(error).replace(key, "…") if key else str(error)
    return f"{type(error).__name__}: {text[:_MOST_SHOWN]}"
