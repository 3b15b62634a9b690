"""What bodies, views and pages of services are made of on the wire."""

from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, StringConstraints

from companyos.simtime import to_iso

Item = TypeVar("Item")


class Body(BaseModel):
    """A request body: unknown fields and other types are refused, not guessed at."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class View(BaseModel):
    """A response, read off a row's attributes."""

    model_config = ConfigDict(from_attributes=True)


class Page(View, Generic[Item]):
    """One page of a list in key order."""

    items: list[Item]
    next_cursor: str | None = Field(description="Pass as `cursor` for the next page; null on the last one.")


class PageQuery(BaseModel):
    """Which page of a list; lists with filters extend it."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(50, ge=1, le=200, description="The most items to return.")
    cursor: str | None = Field(None, max_length=200, description="`next_cursor` of the page before.")


PageOf = Annotated[PageQuery, Query()]

#: An instant of simulated time: seconds in rows, ISO 8601 on the wire.
SimTime = Annotated[
    int, PlainSerializer(to_iso, return_type=str), Field(json_schema_extra={"format": "date-time"})
]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
Key = Annotated[str, StringConstraints(min_length=1, max_length=100)]
GREATEST_VERSION = 2**31
Version = Annotated[int, Field(ge=1, le=GREATEST_VERSION)]

#: The query argument by which a reader of one object says how new it must be.
MIN_VERSION = "min_version"


def page_of(rows: Sequence[Any], limit: int) -> dict[str, Any]:
    """Return rows as a page. A full page has a cursor, even where the next one turns out empty."""
    return {"items": list(rows), "next_cursor": rows[-1].id if len(rows) == limit else None}
