"""How much of a proof is run: enough for every change, or all of it by `make prove`."""

import os

FULL = os.environ.get("COMPANYOS_PROOF") == "full"


def size(usual: int, full: int) -> int:
    """Return how often to do something: `usual` times for every change, `full` times in a whole proof."""
    return full if FULL else usual
