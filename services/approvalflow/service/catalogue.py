"""The approval types of the company and the policies in force."""

from typing import Any

from companyos.chassis import UnitOfWork

from ..errors import ApprovalTypeUnknown
from ..models import ApprovalType
from ..repository import ApprovalRepository


class Catalogue:
    """What can be asked for, and by which rules it is decided."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)

    async def page(self, *, after: str | None, limit: int) -> list[ApprovalType]:
        """Return a page of approval types."""
        return await self._repository.types(after=after, limit=limit)

    async def get(self, type_id: str, *, field: str = "type_id") -> ApprovalType:
        """Return an approval type; `field` is where the caller named it.

        Raises:
            ApprovalTypeUnknown: No such type in this world.
        """
        found = await self._unit.get(ApprovalType, type_id)
        if found is None:
            raise ApprovalTypeUnknown(type_id, field=field)
        return found

    async def describe(self, type_id: str) -> dict[str, Any]:
        """Return an approval type with its policy in words and the changes announced for it, the next one first.

        Raises:
            ApprovalTypeUnknown: No such type in this world.
        """
        type_ = await self.get(type_id)
        announced = await self._repository.announced(type_id, after=self._unit.now)
        return {**vars(type_), "rules": type_.rules, "announced": announced}
