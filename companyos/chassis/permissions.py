"""Permission checks in services that do not own the permissions.

One service owns the company's permissions and announces grants. Every other service that needs them keeps its
own table, so it need not call the owner. The table lists the roles that have a permission, as loaded with the
base, and the people to whom it was granted, as loaded with the base or announced by events. Grants are never
revoked, so the order in which they arrive does not matter.
"""

from typing import ClassVar, Protocol

import sqlalchemy as sa

from .errors import PermissionRequired
from .world.tables import WorldRow, world_table
from .world.work import UnitOfWork


class Permission(WorldRow, Protocol):
    """A restricted action; if it lists no roles, everyone is allowed.

    Attributes:
        OWNER: Name of the service that grants it.
        roles: The roles that have it.
        people: Ids of the people it was granted to, sorted.
    """

    OWNER: ClassVar[str]
    roles: list[str]
    people: list[str]

    def __init__(self, id: str, roles: list[str], people: list[str]) -> None: ...  # noqa: A002


def permission_table(metadata: sa.MetaData, *, owner: str) -> type[Permission]:
    """Add a table of permissions owned by another service to a service's metadata, and return its row class."""

    @world_table(metadata, "permissions")
    class PermissionRow:
        OWNER: ClassVar[str] = owner

        id: str
        roles: list[str]
        people: list[str]

    return PermissionRow


class Permissions:
    """Permission checks for one caller in one unit of work."""

    def __init__(self, unit: UnitOfWork, row: type[Permission]) -> None:
        self._unit = unit
        self._row = row

    async def require(self, permission_id: str, *, along: tuple[type[WorldRow], str]) -> None:
        """Refuse a caller who lacks a permission; an unrestricted permission is never refused.

        Args:
            permission_id: Id of the permission.
            along: Class and key of the row that the rule reads next, fetched in the same round trip.

        Raises:
            PermissionRequired: The caller's role lacks the permission, and no grant to the caller is known here.
        """
        await self._unit.fetch(along, (self._row, permission_id))
        permission = await self._unit.get(self._row, permission_id)
        if permission is None or not permission.roles or self._unit.role in permission.roles:
            return
        if self._unit.actor not in permission.people:
            raise PermissionRequired(
                permission.id, self._unit.role, owner=self._row.OWNER, service=self._unit.internals.schema
            )

    async def grant(self, permission_id: str, person_id: str) -> None:
        """Record a grant, whether or not this service checks the permission."""
        permission = await self._unit.get(self._row, permission_id)
        if permission is not None:
            permission.people = sorted({*permission.people, person_id})
