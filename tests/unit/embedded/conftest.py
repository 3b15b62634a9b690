"""Leaves no alarm behind: a server that drains in this process sets one that would end it later."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """Cancel the alarm of a server that was asked to stop."""
    yield
    signal.alarm(0)
