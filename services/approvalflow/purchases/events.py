"""The scheduled work of purchases."""

from typing import ClassVar

from companyos.chassis import Due


class Sign(Due):
    """A person looks at a purchase that they are to sign."""

    NAME: ClassVar[str] = "sign_purchase"

    sign_off_id: str


class PlacePlannedOrder(Due):
    """A colleague places a planned order of their own."""

    NAME: ClassVar[str] = "place_planned_order"

    planned_id: str
