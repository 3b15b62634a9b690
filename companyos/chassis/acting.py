"""Work in the name of somebody else than the caller."""

from collections.abc import Iterator
from contextlib import contextmanager

from .world.work import UnitOfWork


@contextmanager
def acting_as(actor: str, unit: UnitOfWork) -> Iterator[None]:
    """Make somebody else the actor of a unit of work: the id of a person, of an automation, or of a clock."""
    before, unit.actor = unit.actor, actor
    try:
        yield
    finally:
        unit.actor = before
