"""The scheduled work of queues."""

from typing import ClassVar

from companyos.chassis import Due


class TakeIn(Due):
    """A ticket arrives."""

    NAME: ClassVar[str] = "take_in"

    arrival_id: str
