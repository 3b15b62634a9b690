"""Reactions to DataHub's events about delegations and people who leave."""

from companyos.chassis import Reactions, UnitOfWork

from .events import DelegationChanged, EntitlementRevoked, PersonDeactivated
from .service import SYSTEM, Handover

reactions = Reactions()


@reactions.on(PersonDeactivated)
async def void_the_requests_that_wait_for_who_left(event: PersonDeactivated, unit: UnitOfWork) -> None:
    await Handover(unit).note_departure(event.person_id)


@reactions.on(EntitlementRevoked)
async def void_the_requests_that_wait_for_who_lost_access(
    event: EntitlementRevoked, unit: UnitOfWork
) -> None:
    if event.system == SYSTEM:
        await Handover(unit).note_departure(event.person_id)


@reactions.on(DelegationChanged)
async def remember_the_delegation(event: DelegationChanged, unit: UnitOfWork) -> None:
    await Handover(unit).delegation_changed(event)
