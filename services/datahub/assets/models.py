"""The tables of assets and clearances."""

from companyos.chassis import world_table

from ..models import metadata


@world_table(metadata, "assets", indexes=[("holder",), ("asset_class",)], maintained=("version",))
class Asset:
    """A thing that one person at a time can hold.

    Attributes:
        asset_class: Its class, which the company's automations refer to.
        holder: Person id of the holder; None while it is in the pool.
    """

    id: str
    name: str
    asset_class: str
    holder: str | None = None
    version: int = 1


@world_table(metadata, "clearances", maintained=("version",))
class Clearance:
    """A person's clearance level, from 0 to 5; `id` is the person's id."""

    id: str
    level: int
    version: int = 1
