"""The wire types of personal data."""

from typing import Annotated

from fastapi import Path
from pydantic import Field, StringConstraints

from companyos.chassis import AnyCase, Body, Key, SimTime, View

from .domain import DataType, ErasureMode

ObjectId = Annotated[Key, Path(description="Id, such as `DOC-0007`.")]
AnyErasureMode = Annotated[ErasureMode, Field(strict=False), AnyCase]
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


class ErasePersonalData(Body):
    """What to do to an object, and why."""

    mode: AnyErasureMode
    basis: Key = Field(description="Ticket it is done for, such as `TD-1042`.")
    identifiers: list[Identifier] = Field(
        default_factory=list, max_length=10, description="What `redact` masks."
    )


class FoundData(View):
    """An object that mentions somebody."""

    id: str = Field(description="Id of the object.")
    type: DataType = Field(description="`record`, `document`, `message` or `entitlement`.")
    kind: str = Field(description="Kind of the record or document, or system of the entitlement.")
    title: str = Field(description="Its name, title or subject.")
    matches: list[str] = Field(description="The identifiers that it contains.")


class ErasureView(View):
    """An object that was erased or redacted."""

    id: str = Field(description="Id of the object.")
    type: DataType = Field(description="What it is or was.")
    mode: ErasureMode = Field(description="`erase` or `redact`.")
    erased_by: str = Field(description="Person id of who did it.")
    erased_at: SimTime = Field(description="When.")
    basis: str = Field(description="Id of what it was done for.")
