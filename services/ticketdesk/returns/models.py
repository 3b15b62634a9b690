"""The table of returns of tickets to their reporters."""

from dataclasses import field

from companyos.chassis import world_table

from ..models import metadata


@world_table(metadata, "returns", indexes=[("ticket_id",)], maintained=("returned_by", "returned_at"))
class Return:
    """One return of a ticket to its reporter; id `<ticket>-R<n>`.

    Attributes:
        question: The question to the reporter, or why the ticket cannot be worked on as it is.
        references: Ids of the documents, records and metrics that contradict the ticket.
    """

    id: str
    ticket_id: str
    question: str
    returned_by: str
    returned_at: int
    references: list[str] = field(default_factory=list)
