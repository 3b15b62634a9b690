"""The events about assets and clearances."""

from typing import ClassVar

from companyos.chassis import Event


class AssetAssigned(Event):
    """An asset has a new holder; `previous` is the former holder, if any."""

    NAME: ClassVar[str] = "asset.assigned"
    OBJECT: ClassVar[str] = "asset_id"

    asset_id: str
    asset_class: str
    holder: str
    previous: str | None
    version: int


class AssetReturned(Event):
    """An asset is back in the pool; `previous` is the former holder."""

    NAME: ClassVar[str] = "asset.returned"
    OBJECT: ClassVar[str] = "asset_id"

    asset_id: str
    asset_class: str
    previous: str
    version: int


class ClearanceChanged(Event):
    """A person's clearance level changed."""

    NAME: ClassVar[str] = "clearance.changed"
    OBJECT: ClassVar[str] = "person_id"

    person_id: str
    before: int
    level: int
    version: int
