"""The wire types of answers."""

from pydantic import Field

from companyos.chassis import Body, Key, SimTime, View

from ..schemas import ExpectedVersion, Prose


class AnswerTicket(Body):
    """An answer to the reporter of a ticket."""

    body: Prose = Field(description="The answer.")
    document_ids: list[Key] = Field(
        default_factory=list,
        max_length=10,
        description="Ids of the documents to send with it, such as `DOC-0007`.",
    )
    version: ExpectedVersion = None


class AnswerView(View):
    """An answer to a ticket's reporter."""

    id: str = Field(description="The answer's id.")
    ticket_id: str = Field(description="Id of the ticket.")
    author: str = Field(description="Person id of its author.")
    body: str = Field(description="The answer.")
    documents: list[str] = Field(description="Ids of the documents sent with it.")
    answered_at: SimTime = Field(description="When it was sent.")
