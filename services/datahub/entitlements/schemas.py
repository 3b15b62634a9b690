"""The area's wire types. Agents read every description here as part of the tools."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from companyos.chassis import AnyCase, Body, Key, PageQuery, SimTime, Text, View

from .domain import Basis, Deactivation, Level, Standing

EntitlementId = Annotated[Key, Path()]
ObjectId = Annotated[
    Key, Path(description="Id of a record, a metric, or the entitlement of a shared account.")
]
AnyDeactivation = Annotated[Deactivation, Field(strict=False), AnyCase]


class EntitlementsQuery(PageQuery):
    """Which entitlements to list."""

    person: Key | None = Field(None, description="Person id of the holder.")
    system: Annotated[Key, AnyCase] | None = Field(None, description="Such as `ticketdesk`.")


class OwnershipsQuery(PageQuery):
    """Which ownerships to list."""

    owner: Key | None = Field(None, description="Person id of the owner.")


class Revoke(Body):
    """The end of an entitlement."""

    reason: Text = Field(description="Kept on record.")


class Transfer(Body):
    """A new owner."""

    to: Key = Field(description="Person id of the new owner.")


class SetDelegate(Body):
    """A person's delegation."""

    delegate: Key | None = Field(None, description="Person id of the delegate; leave out for none.")
    types: list[Key] | None = Field(
        None, max_length=50, description="Approval types covered; leave out to keep types and limit."
    )
    limit: float | None = Field(
        None, ge=0, le=1e12, description="Largest amount, with `types`; none if left out."
    )


class Deactivate(Body):
    """The end of an account."""

    mode: AnyDeactivation = Field(description="`purge` cannot be undone.")


class EntitlementView(View):
    """One person's access to one system."""

    id: str = Field(description="Id of the entitlement.")
    person_id: str = Field(description="Who holds it.")
    system: str = Field(description="What it gives access to.")
    level: Level = Field(description="`read`, `write` or `admin`.")
    basis: Basis = Field(
        description="`role`: everybody in the role has it; `exception`: given to this person."
    )
    owner: str = Field(description="Person id of whoever answers for it.")
    status: Standing = Field(description="`active`, `expired` or `revoked`.")
    granted_at: SimTime = Field(description="Since when.")
    expires_at: SimTime | None = Field(description="When it ends by itself; null: never.")
    note: str | None = Field(description="Why it was given.")
    shared_with: list[str] = Field(description="Others who use the same account; empty if it is personal.")


class OwnershipView(View):
    """An object with the person who answers for it."""

    object_id: str = Field(validation_alias="id", description="Id of the object.")
    owner: str = Field(description="Person id of the owner.")
    since: SimTime = Field(description="Since when.")
    locked: bool = Field(description="Whether it can no longer change hands, as its owner lost access.")
