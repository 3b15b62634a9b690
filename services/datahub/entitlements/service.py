"""The acts on access, ownership and accounts: one public method per tool."""

from dataclasses import dataclass

from companyos.chassis import ListPage, UnitOfWork

from ..errors import PersonUnknown
from ..models import Person
from .domain import Basis, Deactivation, Level, Standing, handed_to, standing
from .errors import (
    AlreadyRevoked,
    DelegateRequired,
    EntitlementUnknown,
    OwnAccount,
    OwnDelegate,
    OwnerAlready,
    OwnershipLocked,
    OwnershipUnknown,
    PersonInactive,
)
from .events import DelegationChanged, EntitlementRevoked, PersonDeactivated
from .models import Entitlement, Ownership
from .repository import EntitlementRepository


@dataclass(frozen=True, kw_only=True)
class EntitlementStanding:
    """An entitlement at one instant."""

    id: str
    person_id: str
    system: str
    level: Level
    basis: Basis
    owner: str
    status: Standing
    granted_at: int
    expires_at: int | None
    note: str | None
    shared_with: list[str]


class Entitlements:
    """The rules of access and ownership, for one caller in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = EntitlementRepository(unit)

    async def page(
        self, *, person: str | None, system: str | None, cursor: str | None, limit: int
    ) -> ListPage[EntitlementStanding]:
        """Return a page of entitlements as they are now."""
        found = await self._repository.entitlements(person=person, system=system, cursor=cursor, limit=limit)
        return found.map(self._standing_of)

    async def owned(self, *, owner: str | None, cursor: str | None, limit: int) -> ListPage[Ownership]:
        """Return a page of objects with their owners."""
        return await self._repository.ownerships(owner=owner, cursor=cursor, limit=limit)

    async def revoke(self, entitlement_id: str, *, reason: str) -> EntitlementStanding:
        """End a person's access to a system, and lock everything that the person owns.

        Raises:
            EntitlementUnknown: No such entitlement in this world.
            AlreadyRevoked: It was revoked before.
        """
        entitlement = await self._unit.get(Entitlement, entitlement_id)
        if entitlement is None:
            raise EntitlementUnknown(entitlement_id)
        if entitlement.revoked_at is not None:
            raise AlreadyRevoked(entitlement_id)

        entitlement.revoked_at, entitlement.revoked_by = self._unit.now, self._unit.actor
        entitlement.revoked_for = reason
        entitlement.version += 1
        await self._lock(entitlement.person_id)
        self._unit.record(
            EntitlementRevoked(
                entitlement_id=entitlement.id, person_id=entitlement.person_id, system=entitlement.system
            )
        )
        return self._standing_of(entitlement)

    async def transfer(self, object_id: str, *, to: str) -> Ownership:
        """Make another person the owner of a record or a metric, or the holder of a shared account.

        Raises:
            OwnershipUnknown: The object has no owner on record.
            OwnerAlready: The person already owns it.
            OwnershipLocked: Its owner lost access before.
            PersonUnknown, PersonInactive: The new owner cannot be one.
        """
        account = await self._unit.get(Entitlement, object_id)
        ownership = self._account(account) if account else await self._unit.get(Ownership, object_id)
        if ownership is None:
            raise OwnershipUnknown(object_id)
        await self._active(to, field="to")
        if ownership.owner == to:
            raise OwnerAlready(object_id, to)
        if ownership.locked:
            raise OwnershipLocked(object_id, ownership.owner)

        if account is not None:
            account.shared_with = handed_to(account.shared_with, holder=account.person_id, to=to)
            account.person_id = to
            account.version += 1
        ownership.owner, ownership.since = to, self._unit.now
        ownership.version += 1
        return ownership

    async def set_delegate(
        self, person_id: str, *, delegate: str | None, types: list[str] | None, limit: float | None
    ) -> str:
        """Set or remove a person's delegate, and return the person's id.

        Raises:
            PersonUnknown, PersonInactive: The person or the delegate is unknown or suspended.
            OwnDelegate: They are the same.
            DelegateRequired: There are types or a limit, and nobody is named.
        """
        person = await self._active(person_id, field="person_id")
        if delegate is not None:
            await self._active(delegate, field="delegate")
        if delegate == person_id:
            raise OwnDelegate(person_id)
        if delegate is None and (types or limit is not None):
            raise DelegateRequired

        kept = person.delegate_types if types is None else types
        person.delegate = delegate
        person.delegate_types = kept if delegate else []
        person.delegate_limit = (person.delegate_limit if types is None else limit) if delegate else None
        self._unit.record(
            DelegationChanged(
                person_id=person.id,
                delegate=person.delegate,
                delegate_types=person.delegate_types,
                delegate_limit=person.delegate_limit,
                version=await self._unit.next_number(f"delegation:{person_id}"),
            )
        )
        return person.id

    async def deactivate(self, person_id: str, *, mode: Deactivation) -> Person:
        """Suspend a person's account, or delete it with all entitlements and ownerships; return the person.

        Raises:
            PersonUnknown, PersonInactive: There is no active account to deactivate.
            OwnAccount: It is the caller's own.
        """
        person = await self._active(person_id, field="person_id")
        if person_id == self._unit.actor:
            raise OwnAccount

        person.active = False
        if mode == Deactivation.PURGE:
            await self._purge(person)
        else:
            await self._lock(person_id)
        self._unit.record(PersonDeactivated(person_id=person_id))
        return person

    async def _purge(self, person: Person) -> None:
        for entitlement in await self._repository.entitlements_of(person.id):
            self._unit.remove(entitlement)
        for ownership in await self._repository.owned_by(person.id):
            self._unit.remove(ownership)
        self._unit.remove(person)

    async def _lock(self, person_id: str) -> None:
        for ownership in await self._repository.owned_by(person_id):
            if not ownership.locked:
                ownership.locked = True
                ownership.version += 1

    async def _active(self, person_id: str, *, field: str) -> Person:
        person = await self._unit.get(Person, person_id)
        if person is None:
            raise PersonUnknown(person_id, field=field)
        if not person.active:
            raise PersonInactive(person_id, field=field)
        return person

    def _account(self, account: Entitlement) -> Ownership | None:
        """Return a shared account as an ownership, or None if it is not shared or was revoked."""
        if not account.shared_with or account.revoked_at is not None:
            return None
        return Ownership(account.id, account.person_id, account.granted_at, version=account.version)

    def _standing_of(self, entitlement: Entitlement) -> EntitlementStanding:
        return EntitlementStanding(
            id=entitlement.id,
            person_id=entitlement.person_id,
            system=entitlement.system,
            level=Level(entitlement.level),
            basis=Basis(entitlement.basis),
            owner=entitlement.owner,
            status=standing(
                expires_at=entitlement.expires_at, revoked_at=entitlement.revoked_at, now=self._unit.now
            ),
            granted_at=entitlement.granted_at,
            expires_at=entitlement.expires_at,
            note=entitlement.note,
            shared_with=entitlement.shared_with,
        )
