"""Queues, the tickets in them, and the tickets that have not arrived yet."""

from companyos.chassis import world_table

from ..models import metadata


@world_table(metadata, "queues")
class Queue:
    """A team's queue.

    Attributes:
        about: The tickets that belong in it, in words.
        on_call: Id of the person who handles urgent tickets, or None.
    """

    id: str
    name: str
    team: str
    about: str
    on_call: str | None = None


@world_table(metadata, "placements", indexes=[("queue",)], maintained=("placed_by", "placed_at"))
class Placement:
    """The queue that a ticket is in; it has the ticket's id."""

    id: str
    queue: str
    placed_by: str
    placed_at: int


@world_table(metadata, "arrivals", hidden=True)
class Arrival:
    """A ticket that arrives later, under the id that it will have.

    Attributes:
        at: When it arrives.
        tier: The contract tier on file.
        queue: The queue in which it arrives.
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
