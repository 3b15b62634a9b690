"""Reactions to DataHub's events about people who leave."""

from companyos.chassis import Reactions, UnitOfWork

from .events import EntitlementRevoked, PersonDeactivated
from .service import SYSTEM, Staff

reactions = Reactions()


@reactions.on(PersonDeactivated)
async def unassign_the_tickets_of_who_left(event: PersonDeactivated, unit: UnitOfWork) -> None:
    await Staff(unit).left(event.person_id)


@reactions.on(EntitlementRevoked)
async def unassign_the_tickets_of_who_lost_access(event: EntitlementRevoked, unit: UnitOfWork) -> None:
    if event.system == SYSTEM:
        await Staff(unit).left(event.person_id)
