"""What other people are going to do."""

from dataclasses import field

from companyos.chassis import world_table

from ..models import metadata
from .domain import IntendedAct


@world_table(metadata, "intentions", hidden=True)
class Intention:
    """What a person is going to do about a ticket.

    Attributes:
        at: When they do it, unless the state of the ticket keeps them from it.
        act: `take`: they assign the ticket to themselves if nobody has worked on it; `answer`: they answer it
            if it is assigned to them; `write`: they comment on it.
        text: Their answer or their comment.
        documents: Ids of the documents that go with their answer.
    """

    id: str
    ticket_id: str
    person: str
    at: int
    act: IntendedAct
    text: str = ""
    documents: list[str] = field(default_factory=list)
