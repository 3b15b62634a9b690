"""The extent of expensive tests: a sample by default, everything with `make prove`."""

import os
from typing import TypeVar

FULL = os.environ.get("COMPANYOS_PROOF") == "full"


T = TypeVar("T")


def size(usual: T, full: T) -> T:
    """Return how often to do something, or with what: `usual` for every change, `full` in a whole proof."""
    return full if FULL else usual
