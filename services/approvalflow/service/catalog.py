"""The company's approval types and the policies in force."""

from typing import Any

from companyos.chassis import ListPage, UnitOfWork

from ..errors import ApprovalTypeUnknown
from ..models import ApprovalType
from ..repository import ApprovalRepository


class Catalog:
    """The approval types and the rules by which their requests are decided."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)

    async def page(self, *, after: str | None, limit: int) -> ListPage[ApprovalType]:
        """Return a page of approval types."""
        return await self._repository.types(after=after, limit=limit)

    async def get(self, type_id: str, *, field: str = "type_id") -> ApprovalType:
        """Return an approval type; `field` names the caller's argument.

        Raises:
            ApprovalTypeUnknown: No such type in this world.
        """
        found = await self._unit.get(ApprovalType, type_id)
        if found is None:
            raise ApprovalTypeUnknown(type_id, field=field)
        return found

    async def describe(self, type_id: str) -> dict[str, Any]:
        """Return an approval type with its policy in words and its announced changes in order.

        Raises:
            ApprovalTypeUnknown: No such type in this world.
        """
        type_ = await self.get(type_id)
        announced = await self._repository.announced_changes(type_id, after=self._unit.now)
        return {**vars(type_), "rules": type_.rules, "announced": announced}
