"""Names that carry the cell: whose an episode or a snapshot is can be read off its id.

A cell puts its name before the ids that it makes, as `cell-a.ep-5f0c…`. An id that a trainer chose is placed by
rendezvous hashing (Thaler & Ravishankar 1998), the same in every client and router: each cell has a weight for the id,
and the heaviest holds it, so a cell that is added or removed moves no ids but its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

#: The form of a cell's name, that of a host. A stack alone is a cell without a name.
CELL_NAME: Final = r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?"
_WEIGHT_BYTES: Final = 4


def named_in(cell: str, name: str) -> str:
    """Return a name as the cell gives it."""
    return f"{cell}.{name}" if cell else name


def cell_of(name: str, cells: Iterable[str]) -> str:
    """Return the cell that holds the episode or snapshot of a name.

    Args:
        name: Its id, with the name of a cell before it, or of the trainer's own.
        cells: The names of all cells, at least one.
    """
    known = sorted(cells)
    before, dot, _ = name.partition(".")
    if dot and before in known:
        return before
    return max(known, key=lambda cell: weight(cell, name))


def weight(cell: str, name: str) -> int:
    """Return the weight of a name in a cell; routers compute the same."""
    return int.from_bytes(sha256(f"{cell}/{name}".encode()).digest()[:_WEIGHT_BYTES])
