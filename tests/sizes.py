"""The extent of expensive tests: a sample by default, everything with `make prove`."""

import os
from collections.abc import Callable
from typing import TypeVar

import pytest

FULL = os.environ.get("COMPANYOS_PROOF") == "full"

T = TypeVar("T")
Test = TypeVar("Test", bound=Callable[..., object])


def whole_proof(test: Test) -> Test:
    """Run a test in a whole proof only: it takes long, and no law is held by it alone."""
    return pytest.mark.proof(pytest.mark.skipif(not FULL, reason="is run by `make prove`")(test))


def size(usual: T, full: T) -> T:
    """Return how often to do something, or with what: `usual` for every change, `full` in a whole proof."""
    return full if FULL else usual
