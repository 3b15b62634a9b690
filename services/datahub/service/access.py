"""Permissions: who has them, and how others obtain them."""

from companyos.chassis import ListPage, PermissionRequired, UnitOfWork
from companyos.sdk.simtime import to_iso

from ..domain import Access, has_permission
from ..errors import AccessHeld, AccessRequested, PermissionUnknown
from ..events import AccessGranted, GrantAccess
from ..models import Grant, Permission


class Accesses:
    """The rules of permissions, for one caller in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def page(self, *, cursor: str | None, limit: int) -> ListPage[Access]:
        """Return a page of permissions, each with whether the caller has it."""
        page = await self._unit.page(Permission, after=cursor, limit=limit)
        return ListPage([await self._access(permission) for permission in page.items], page.total)

    async def get(self, permission_id: str) -> Access:
        """Return a permission, and whether the caller has it.

        Raises:
            PermissionUnknown: There is no such permission.
        """
        permission = await self._unit.get(Permission, permission_id)
        if permission is None:
            raise PermissionUnknown(permission_id)
        return await self._access(permission)

    async def request(self, permission_id: str, *, reason: str) -> Access:
        """Request a permission; it is granted automatically after a while.

        Raises:
            PermissionUnknown: There is no such permission.
            AccessHeld: The caller has it.
            AccessRequested: The caller has already requested it.
        """
        access = await self.get(permission_id)
        if access.held:
            raise AccessHeld(permission_id)
        if access.due_at is not None:
            raise AccessRequested(permission_id, to_iso(access.due_at))
        grant = Grant(
            id=await self._unit.next_id(Grant, "ACC-", width=4),
            permission=permission_id,
            person_id=self._unit.actor,
            reason=reason,
            requested_at=self._unit.now,
            due_at=self._unit.now + access.grant_s,
        )
        self._unit.add(grant)
        self._unit.schedule(GrantAccess(grant_id=grant.id), at=grant.due_at, id=f"grant:{grant.id}")
        return await self.get(permission_id)

    async def grant(self, grant_id: str) -> None:
        """Grant a requested permission."""
        grant = await self._unit.get(Grant, grant_id)
        if grant is not None and grant.granted_at is None:
            grant.granted_at = grant.due_at
            self._unit.record(AccessGranted(permission=grant.permission, person_id=grant.person_id))

    async def require(self, permission_id: str) -> None:
        """Refuse a caller who lacks a permission; everybody has an unrestricted permission.

        Raises:
            PermissionRequired: Neither the caller's role nor a grant gives it to them.
        """
        permission = await self._unit.get(Permission, permission_id)
        if permission is not None and not (await self._access(permission)).held:
            name = self._unit.internals.schema
            raise PermissionRequired(permission.id, self._unit.role, owner=name, service=name)

    async def _access(self, permission: Permission) -> Access:
        grants = await self._unit.all(Grant, person_id=self._unit.actor, permission=permission.id)
        granted = any(grant.granted_at is not None for grant in grants)
        return Access(
            id=permission.id,
            allows=permission.allows,
            held=granted or has_permission(permission.roles, self._unit.role),
            grant_s=permission.grant_s,
            due_at=max((grant.due_at for grant in grants), default=None),
        )
