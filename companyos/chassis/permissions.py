"""What takes a permission, in a service that does not own permissions: who has it, and the refusal of who has not.

One service owns the permissions of the company and announces what it grants. Every other one that does something which
takes a permission keeps a table of its own of what it has heard, so it need not ask: the roles that have it, from its
base, and the people who were granted it, from there or by events. Grants are never taken back, so the order in which
they are heard of does not matter.
"""

from typing import ClassVar, Protocol

import sqlalchemy as sa

from .errors import PermissionRequired
from .tables import WorldRow, world_table
from .work import UnitOfWork


class Permission(WorldRow, Protocol):
    """Something that not everybody may do; without any roles, everybody may.

    Attributes:
        OWNER: What people call the service that grants it.
        roles: The roles that have it.
        people: Ids of the people who were granted it, sorted.
    """

    OWNER: ClassVar[str]
    roles: list[str]
    people: list[str]

    def __init__(self, id: str, roles: list[str], people: list[str]) -> None: ...  # noqa: A002


def permission_table(metadata: sa.MetaData, *, owner: str) -> type[Permission]:
    """Add a table of permissions that another service owns to a service's metadata, and return its row class."""

    @world_table(metadata, "permissions")
    class PermissionRow:
        OWNER: ClassVar[str] = owner

        id: str
        roles: list[str]
        people: list[str]

    return PermissionRow


class Permissions:
    """The rules of permissions, for one caller in one unit of work."""

    def __init__(self, unit: UnitOfWork, row: type[Permission]) -> None:
        self._unit = unit
        self._row = row

    async def require(self, permission_id: str, *, along: tuple[type[WorldRow], str]) -> None:
        """Refuse a caller who lacks a permission; one that nobody keeps is everybody's.

        Args:
            permission_id: Which one.
            along: Class and key of the row that the rule reads next, so that looking costs no round trip of its own.

        Raises:
            PermissionRequired: The caller's role does not have it, and that it was granted to them is not known here.
        """
        await self._unit.fetch(along, (self._row, permission_id))
        permission = await self._unit.get(self._row, permission_id)
        if permission is None or not permission.roles or self._unit.role in permission.roles:
            return
        if self._unit.actor not in permission.people:
            raise PermissionRequired(permission.id, self._unit.role, owner=self._row.OWNER)

    async def grant(self, permission_id: str, person_id: str) -> None:
        """Take note that somebody was granted a permission, which may be one that nothing here takes."""
        permission = await self._unit.get(self._row, permission_id)
        if permission is not None:
            permission.people = sorted({*permission.people, person_id})
