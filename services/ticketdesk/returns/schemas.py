"""The wire types of returns."""

from pydantic import Field

from companyos.chassis import Body, Key, SimTime, View

from ..schemas import ExpectedVersion, Prose


class ReturnTicket(Body):
    """A question to the reporter of a ticket."""

    question: Prose = Field(description="What to answer or correct, and why.")
    references: list[Key] = Field(
        default_factory=list,
        max_length=20,
        description="Ids of what the question rests on.",
    )
    version: ExpectedVersion = None


class ReturnView(View):
    """A ticket's return to its reporter."""

    id: str = Field(description="The return's id.")
    ticket_id: str = Field(description="Id of the ticket, which is now `returned`.")
    question: str = Field(description="What the reporter has to answer.")
    references: list[str] = Field(description="Ids of what the question rests on.")
    returned_by: str = Field(description="Person id of who returned it.")
    returned_at: SimTime = Field(description="When it was returned.")
