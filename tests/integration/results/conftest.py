"""Real runs, a viewer of them, and a client of it."""

from collections.abc import Iterator

import httpx
import pytest

from tests.patience import PATIENCE_S
from tests.result_pages import results, viewer_url

__all__ = ["results", "viewer_url"]


@pytest.fixture
def client(viewer_url: str) -> Iterator[httpx.Client]:
    """A client of the viewer."""
    with httpx.Client(base_url=viewer_url, timeout=PATIENCE_S) as client:
        yield client
