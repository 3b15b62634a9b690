"""The rules of assets and clearances: who holds which asset, and who has which clearance level."""

from typing import Any

from companyos.chassis import ListPage, UnitOfWork

from ..errors import PersonUnknown
from ..models import Change, Person
from .domain import moved
from .errors import AlreadyHolder, AssetInPool, AssetUnknown, ClearanceUnknown
from .events import AssetAssigned, AssetReturned, ClearanceChanged
from .models import Asset, Clearance


class Assets:
    """Hands assets out and takes them back, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def page(
        self, *, cursor: str | None, limit: int, q: str | None, **filters: str | None
    ) -> ListPage[Asset]:
        """Return a page of assets."""
        given = {column: value for column, value in filters.items() if value is not None}
        contains = (("id", "name", "asset_class"), q) if q else None
        return await self._unit.page(Asset, after=cursor, limit=limit, contains=contains, **given)

    async def assign(self, asset_id: str, person_id: str) -> Asset:
        """Hand an asset to a person, even if somebody else holds it.

        Raises:
            AssetUnknown, PersonUnknown: There is no such asset or person.
            AlreadyHolder: The person already holds it.
        """
        asset = await self._load(asset_id)
        if await self._unit.get(Person, person_id) is None:
            raise PersonUnknown(person_id)
        if asset.holder == person_id:
            raise AlreadyHolder(asset.id, person_id)

        previous = self._move(asset, person_id, "assigned")
        self._unit.record(
            AssetAssigned(
                asset_id=asset.id,
                asset_class=asset.asset_class,
                holder=person_id,
                previous=previous,
                version=asset.version,
            )
        )
        return asset

    async def give_back(self, asset_id: str) -> Asset:
        """Return an asset to the pool.

        Raises:
            AssetUnknown: There is no such asset.
            AssetInPool: Nobody holds it.
        """
        asset = await self._load(asset_id)
        if asset.holder is None:
            raise AssetInPool(asset.id)

        previous = self._move(asset, None, "returned")
        self._unit.record(
            AssetReturned(
                asset_id=asset.id,
                asset_class=asset.asset_class,
                previous=str(previous),
                version=asset.version,
            )
        )
        return asset

    async def _load(self, asset_id: str) -> Asset:
        asset = await self._unit.get(Asset, asset_id)
        if asset is None:
            raise AssetUnknown(asset_id)
        return asset

    def _move(self, asset: Asset, holder: str | None, action: str) -> str | None:
        previous, asset.holder, asset.version = asset.holder, holder, asset.version + 1
        _note(self._unit, asset, asset.id, action, {"holder": previous}, {"holder": holder})
        return previous


class Clearances:
    """People's clearance levels, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def get(self, person_id: str) -> Clearance:
        """Return a person's clearance.

        Raises:
            ClearanceUnknown: None is on record.
        """
        clearance = await self._unit.get(Clearance, person_id)
        if clearance is None:
            raise ClearanceUnknown(person_id)
        return clearance

    async def move(self, person_id: str, by: int) -> None:
        """Raise or lower a person's clearance by some levels, within the existing levels.

        Raises:
            ClearanceUnknown: None is on record.
        """
        clearance = await self.get(person_id)
        before, level = clearance.level, moved(clearance.level, by)
        if level == before:
            return
        clearance.level, clearance.version = level, clearance.version + 1
        # Its history has its own name, because the person is also an object.
        _note(
            self._unit,
            clearance,
            f"clearance:{person_id}",
            "lowered" if level < before else "raised",
            {"level": before},
            {"level": level},
        )
        version = clearance.version
        self._unit.record(ClearanceChanged(person_id=person_id, before=before, level=level, version=version))


def _note(
    unit: UnitOfWork,
    row: Asset | Clearance,
    object_id: str,
    action: str,
    before: dict[str, Any],
    after: dict[str, Any],
) -> None:
    unit.add(
        Change(
            id=f"{object_id}@{row.version}",
            object_id=object_id,
            version=row.version,
            at=unit.now,
            actor=unit.actor,
            action=action,
            before=before,
            after=after,
        )
    )
