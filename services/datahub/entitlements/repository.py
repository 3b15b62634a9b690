"""The area's queries, except lookups of one row by its id."""

from typing import Any

from companyos.chassis import ListPage, UnitOfWork

from .models import Entitlement, Ownership


class EntitlementRepository:
    """Reads rows in the world of one unit of work; lists are ordered by id."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def entitlements(
        self, *, person: str | None, system: str | None, cursor: str | None, limit: int
    ) -> ListPage[Entitlement]:
        """Return a page of entitlements, optionally of one person or one system."""
        given = {"person_id": person, "system": system}
        filters: dict[str, Any] = {column: value for column, value in given.items() if value is not None}
        return await self._unit.page(Entitlement, after=cursor, limit=limit, **filters)

    async def ownerships(self, *, owner: str | None, cursor: str | None, limit: int) -> ListPage[Ownership]:
        """Return a page of ownerships, optionally of one owner."""
        filters: dict[str, Any] = {} if owner is None else {"owner": owner}
        return await self._unit.page(Ownership, after=cursor, limit=limit, **filters)

    async def entitlements_of(self, person_id: str) -> list[Entitlement]:
        """Return all entitlements of a person."""
        return await self._unit.all(Entitlement, person_id=person_id)

    async def owned_by(self, person_id: str) -> list[Ownership]:
        """Return everything that a person owns."""
        return await self._unit.all(Ownership, owner=person_id)
