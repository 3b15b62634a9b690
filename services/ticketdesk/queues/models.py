"""Queues, which ticket is in which, and tickets that are still to come in."""

from companyos.chassis import world_table

from ..models import metadata


@world_table(metadata, "queues")
class Queue:
    """A team's queue.

    Attributes:
        about: The tickets that belong in it, in words.
        on_call: Person id of who takes what cannot wait, or None.
    """

    id: str
    name: str
    team: str
    about: str
    on_call: str | None = None


@world_table(metadata, "placements", indexes=[("queue",)])
class Placement:
    """The queue that a ticket is in; it has the ticket's id."""

    id: str
    queue: str
    placed_by: str
    placed_at: int


@world_table(metadata, "arrivals", hidden=True)
class Arrival:
    """A ticket that comes in later, with the id that it will have.

    Attributes:
        at: When it comes in.
        tier: The contract tier on file.
        queue: The queue it comes into.
    """

    id: str
    at: int
    kind: str
    title: str
    description: str
    reporter: str
    tier: str
    queue: str
    subject: str | None = None
