"""The extent of expensive tests: a sample by default, everything with `make prove`."""

import os
from typing import TypeVar

import pytest

FULL = os.environ.get("COMPANYOS_PROOF") == "full"
#: Marks what is run in a whole proof only, because other tests and the certification play a sample of it.
WHOLE_PROOF = pytest.mark.skipif(not FULL, reason="is run by `make prove`")


T = TypeVar("T")


def size(usual: T, full: T) -> T:
    """Return how often to do something, or with what: `usual` for every change, `full` in a whole proof."""
    return full if FULL else usual
