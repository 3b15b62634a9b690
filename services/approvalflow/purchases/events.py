"""The scheduled work of purchases."""

from typing import ClassVar

from companyos.chassis import Due


class Sign(Due):
    """A person looks at a purchase that they have to sign."""

    NAME: ClassVar[str] = "sign_purchase"

    sign_off_id: str


class PlacePlannedOrder(Due):
    """A colleague orders something on their own account."""

    NAME: ClassVar[str] = "place_planned_order"

    planned_id: str
