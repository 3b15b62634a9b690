"""Building blocks for the request bodies, views and pages of services."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from fastapi import Query
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from companyos.sdk.simtime import to_iso

from ..errors import InvalidRequest
from ..world.pages import ListPage

Item = TypeVar("Item")

_DIGITS = re.compile(r"-?[0-9]+")


class Body(BaseModel):
    """A strict request body: unknown fields and wrong types are refused; null means not given.

    Attributes:
        ELSEWHERE: Fields that callers may expect here, each with the tool that sets it.
    """

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
    ELSEWHERE: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        """Drop the nulls of optional fields, and refuse fields that another tool sets."""
        if not isinstance(given, dict):
            return given
        if misplaced := sorted(cls.ELSEWHERE.keys() & given.keys()):
            raise SetElsewhere(misplaced[0], cls.ELSEWHERE[misplaced[0]])
        fields = cls.model_fields
        return {
            name: value
            for name, value in given.items()
            if value is not None or name not in fields or fields[name].is_required()
        }


class SetElsewhere(InvalidRequest):
    """Another tool sets this field."""

    def __init__(self, field: str, tool: str) -> None:
        super().__init__(f"{field} cannot be set here. Set it with {tool}.", field=field, remedy=tool)


class View(BaseModel):
    """A response, read from a row's attributes."""

    model_config = ConfigDict(from_attributes=True)


class Page(View, Generic[Item]):
    """One page of a list, in the order of ids."""

    items: list[Item]
    total: int = Field(description="How many items the whole list has, on all its pages.")
    next_cursor: str | None = Field(description="Pass as `cursor` for the next page; null on the last page.")


class PageQuery(BaseModel):
    """Pagination arguments of a list; lists with filters extend them."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(50, ge=1, le=200, description="The most items to return.")
    cursor: str | None = Field(None, max_length=200, description="`next_cursor` of the previous page.")

    @field_validator("limit", mode="before")
    @classmethod
    def _in_digits(cls, value: Any) -> Any:
        """Leave Pydantic no text such as `1_0` or ` 5`, of which it reads a number, and other programs none."""
        if isinstance(value, str) and not _DIGITS.fullmatch(value):
            raise PydanticCustomError("int_parsing", "Input should be a whole number, written in digits")
        return value


PageOf = Annotated[PageQuery, Query()]

#: An instant of simulated time: seconds in rows, ISO 8601 in requests and responses.
SimTime = Annotated[
    int, PlainSerializer(to_iso, return_type=str), Field(json_schema_extra={"format": "date-time"})
]


def _any_case(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


#: For lowercase enumerations: accepts any case.
AnyCase = BeforeValidator(_any_case)
#: For integers: accepts 3.0, as JSON Schema does.
Whole = BeforeValidator(_whole)
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
Key = Annotated[str, StringConstraints(min_length=1, max_length=100)]
GREATEST_VERSION = 2**31
GREATEST_NUMBER = 10**15
#: A scalar field value. Tools show a simplified schema, without the bounds of numbers.
Scalar = Annotated[
    bool
    | Annotated[int, Field(ge=-GREATEST_NUMBER, le=GREATEST_NUMBER)]
    | Annotated[float, Field(ge=-GREATEST_NUMBER, le=GREATEST_NUMBER)]
    | Annotated[str, Field(max_length=4000)]
    | None,
    WithJsonSchema({"type": ["string", "number", "boolean", "null"], "maxLength": 4000}),
]
Version = Annotated[int, Field(ge=1, le=GREATEST_VERSION), Whole]

#: The query argument for the minimum version of an object.
MIN_VERSION = "min_version"


def page_of(page: ListPage[Any], limit: int) -> dict[str, Any]:
    """Return a page as a response. A full page has a cursor, even if the next page turns out to be empty."""
    items = list(page.items)
    return {"items": items, "total": page.total, "next_cursor": items[-1].id if len(items) == limit else None}
