"""Turns an endpoint's errors into failures whose messages help the person who started the run."""

import os
import re
from typing import Any, Final

from .endpoint import ContextOverflow, EndpointFailed
from .settings import ModelSettings

_MOST_SHOWN: Final = 300
_BAD_REQUEST: Final = 400
_TOO_LARGE: Final = 413
#: What endpoints say about a prompt that is too long; few have an error code for it.
_TOO_LONG: Final = re.compile(
    r"context[ _-]?(length|size|window)|maximum context|(prompt|input) is too long|too many (input )?tokens"
    r"|(maximum|max) (input )?(number of )?tokens",
    re.IGNORECASE,
)


def failure_of(error: Exception, settings: ModelSettings) -> EndpointFailed:
    """Return the failure that an error of a client library stands for."""
    status = getattr(error, "status_code", None)
    told = f"{getattr(error, 'body', None) or ''} {error}"
    kind = ContextOverflow if _is_overflow(status, told) else EndpointFailed
    return kind(f"{where(settings)}: {_shown(error, settings)}")


def unreadable(answer: Any, settings: ModelSettings) -> EndpointFailed:
    """Return the failure of an endpoint whose response does not follow its protocol."""
    shown = str(answer)[:_MOST_SHOWN]
    return EndpointFailed(f"{where(settings)} answered with something else than a chat message: {shown!r}")


def where(settings: ModelSettings) -> str:
    """Return which model failed, and at which endpoint."""
    return f"{settings.model} at {settings.base_url or 'its vendor'}"


def _is_overflow(status: int | None, told: str) -> bool:
    return status == _TOO_LARGE or (status == _BAD_REQUEST and _TOO_LONG.search(told) is not None)


def _shown(error: Exception, settings: ModelSettings) -> str:
    """Return an error's message without the key, which some endpoints echo."""
    key = os.environ.get(settings.api_key_variable)
    text = str(error).replace(key, "…") if key else str(error)
    return f"{type(error).__name__}: {text[:_MOST_SHOWN]}"
