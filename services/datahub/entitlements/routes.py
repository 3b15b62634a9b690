"""The area over HTTP. Agents read each route's summary and description as the tool's description."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from ..domain import Profile
from ..models import Person
from ..schemas import PersonId, PersonView, ProfileView
from ..service import Directory
from .models import Ownership
from .schemas import (
    Deactivate,
    EntitlementId,
    EntitlementsQuery,
    EntitlementView,
    ObjectId,
    OwnershipsQuery,
    OwnershipView,
    Revoke,
    SetDelegate,
    Transfer,
)
from .service import Entitlements, EntitlementStanding

entitlements = ToolRouter(prefix="/entitlements", tags=["entitlements"])
ownerships = ToolRouter(prefix="/ownerships", tags=["entitlements"])
staff = ToolRouter(prefix="/staff", tags=["people"])


@entitlements.get(
    "",
    response_model=Page[EntitlementView],
    summary="List entitlements",
    description="Shows who has access to which system, why, and until when. Those revoked stay listed.",
)
async def list_entitlements(query: Annotated[EntitlementsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Entitlements(unit).page(**query.model_dump()), query.limit)


@entitlements.post(
    "/{entitlement_id}/revoke",
    response_model=EntitlementView,
    summary="Revoke an entitlement",
    description="Ends the access at once, on a shared account for all its users. Also locks whatever its holder owns, "
    "which then can no longer be transferred.",
)
async def revoke_entitlement(
    entitlement_id: EntitlementId, body: Revoke, unit: InWorld
) -> EntitlementStanding:
    return await Entitlements(unit).revoke(entitlement_id, reason=body.reason)


@ownerships.get(
    "",
    response_model=Page[OwnershipView],
    summary="List owned objects",
    description="Shows who answers for which record or metric. Shared accounts are among the entitlements.",
)
async def list_ownerships(query: Annotated[OwnershipsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Entitlements(unit).owned(**query.model_dump()), query.limit)


@ownerships.post(
    "/{object_id}/transfer",
    response_model=OwnershipView,
    summary="Transfer ownership",
    description="Makes another person answer for a record or a metric, or hold a shared account. Refused once the "
    "present owner's access was revoked.",
)
async def transfer_ownership(object_id: ObjectId, body: Transfer, unit: InWorld) -> Ownership:
    return await Entitlements(unit).transfer(object_id, to=body.to)


@staff.post(
    "/{person_id}/delegate",
    response_model=ProfileView,
    summary="Set a person's delegate",
    description="The delegate decides while the person is away. Requests already waiting for somebody stay with them: "
    "approvalflow_reassign_request moves those.",
)
async def set_delegate(person_id: PersonId, body: SetDelegate, unit: InWorld) -> Profile:
    changed = await Entitlements(unit).set_delegate(
        person_id, delegate=body.delegate, types=body.types, limit=body.limit
    )
    return await Directory(unit).profile(changed)


@staff.post(
    "/{person_id}/deactivate",
    response_model=PersonView,
    summary="Deactivate a person's account",
    description="`suspend` closes the account; open tickets lose it as assignee, and requests waiting for it become "
    "void. `purge` also deletes its entry, entitlements and ownerships for good.",
)
async def deactivate_person(person_id: PersonId, body: Deactivate, unit: InWorld) -> Person:
    return await Entitlements(unit).deactivate(person_id, mode=body.mode)
