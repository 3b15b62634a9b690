"""The wire types of personal data."""

from typing import Annotated

from pydantic import Field, StringConstraints

from companyos.chassis import Body, Key, SimTime, View

#: Shorter identifiers would match too many texts.
Identifier = Annotated[str, StringConstraints(min_length=3, max_length=100, pattern=r"\S")]


class FindPersonalData(Body):
    """What to look for."""

    identifiers: list[Identifier] = Field(
        min_length=1,
        max_length=10,
        description="Numbers, addresses or names; one must occur.",
    )
    cursor: str | None = Field(None, max_length=200, description="`next_cursor` of the previous page.")
    limit: int = Field(50, ge=1, le=200, description="The most items to return.")


class RedactPersonalData(Body):
    """What to mask in a request, and why."""

    basis: Key = Field(description="Ticket it is done for, such as `TD-1042`.")
    identifiers: list[Identifier] = Field(min_length=1, max_length=10, description="What to mask.")


class FoundRequest(View):
    """A request that mentions somebody."""

    id: str = Field(description="Id of the request.")
    kind: str = Field(description="Its approval type.")
    status: str = Field(description="How far it has come.")
    matches: list[str] = Field(description="The identifiers that it contains.")


class RedactionView(View):
    """A request that was redacted."""

    id: str = Field(description="Id of the request.")
    erased_by: str = Field(description="Person id of who did it.")
    erased_at: SimTime = Field(description="When.")
    basis: str = Field(description="Id of what it was done for.")
