"""The wire types of changes."""

from typing import Annotated, Any

from fastapi import Path
from pydantic import BeforeValidator, Field, WithJsonSchema

from companyos.chassis import AnyCase, Body, Key, PageQuery, SimTime, View
from companyos.sdk.simtime import from_iso

from ..schemas import Prose
from .domain import Category, ChangeStatus, Procedure

ChangeId = Annotated[Key, Path(description="Such as `CHG-104`.")]
AnyProcedure = Annotated[Procedure, Field(strict=False), AnyCase]
AnyCategory = Annotated[Category, Field(strict=False), AnyCase]


def _seconds(given: Any) -> Any:
    """Return the simulated second of an instant given as text; leave anything else to be refused."""
    return from_iso(given) if isinstance(given, str) else None


Instant = Annotated[
    int,
    BeforeValidator(_seconds),
    WithJsonSchema({"type": "string", "format": "date-time", "maxLength": 40}),
]


class PlanChange(Body):
    """A change to plan."""

    system: Key = Field(description="Id of the record of the system to change.")
    procedure: AnyProcedure = Field(description="What is done.")
    category: AnyCategory = Field(description="`ordinary` needs `starts_at`.")
    starts_at: Instant | None = Field(None, description="When an ordinary change goes live.")


class RollBack(Body):
    """Why a change is rolled back."""

    reason: Prose = Field(description="Kept on record.")


class ChangesQuery(PageQuery):
    """Which changes to list."""

    ticket_id: Key | None = None
    system: Key | None = Field(None, description="Record id.")


class ChangeView(View):
    """A change of a system."""

    id: str = Field(description="The change's id.")
    ticket_id: str = Field(description="Id of the ticket it is planned for.")
    system: str = Field(description="Id of the record of the system.")
    procedure: Procedure = Field(description="What is done to it.")
    category: Category = Field(description="Whether it waits for its time.")
    status: ChangeStatus = Field(description="Where it is in its life.")
    starts_at: SimTime | None = Field(description="When an ordinary change goes live.")
    planned_by: str = Field(description="Person id of its planner.")
    planned_at: SimTime = Field(description="When it was planned.")
    rolled_out_by: str | None = Field(description="Person id of who rolled it out.")
    rolled_out_at: SimTime | None = Field(description="When it went live.")
    rolled_back_at: SimTime | None = Field(description="When it was undone.")
    version: int = Field(description="Grows with every change.")
