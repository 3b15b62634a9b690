"""How long an endpoint that puts requests off wants to be waited for, and who is told."""

import math
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from .endpoint import PassingFailure

#: The shortest pause that is told, and the time between two that are, in seconds.
TOLD_S: Final = 5.0
_EVERY_S: Final = 60.0
#: A duration in an error of Google's.
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)s?")


class WaitNews:
    """Tells the person who runs the agents of their waits, which come together: now and then, not each.

    Args:
        say: Shows a sentence.
    """

    def __init__(self, say: Callable[[str], None] = lambda text: None) -> None:
        self._say = say
        self._next: float = -math.inf

    def tell(self, failure: PassingFailure, pause_s: float) -> None:
        """Tell of a pause that begins, unless it is short or another was told just before."""
        now = time.monotonic()
        if pause_s >= TOLD_S and now >= self._next:
            self._next = now + _EVERY_S
            self._say(f"{str(failure).rstrip('.')}. The request is repeated in {pause_s:g} s.")


def asked_wait_s(headers: Mapping[str, str], body: Any) -> float | None:
    """Return how many seconds an endpoint asks to wait; None if it does not say.

    Args:
        headers: Those of its answer, whose names are found in any case.
        body: The answer's JSON, in which Google says it.
    """
    header = headers.get("retry-after")
    in_headers = (_seconds(headers.get("retry-after-ms"), 1e-3), _seconds(header), _seconds_until(header))
    return next((seconds for seconds in (*in_headers, *_delays_in(body)) if seconds is not None), None)


def _seconds(text: str | None, unit: float = 1.0) -> float | None:
    try:
        seconds = float(text or "") * unit
    except ValueError:
        return None
    return seconds if 0 < seconds < math.inf else None


def _seconds_until(text: str | None) -> float | None:
    try:
        instant = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    ahead_s = (instant.replace(tzinfo=instant.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return ahead_s if ahead_s > 0 else None


def _delays_in(body: Any) -> Iterator[float]:
    """Yield the values of `retryDelay` in a body, wherever it has them."""
    delay = body.get("retryDelay") if isinstance(body, Mapping) else None
    if isinstance(delay, str) and (match := _DURATION.fullmatch(delay)):
        yield float(match[1])
    for child in body.values() if isinstance(body, Mapping) else body if isinstance(body, list) else ():
        yield from _delays_in(child)
