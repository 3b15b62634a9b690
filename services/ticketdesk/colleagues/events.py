"""The scheduled work of other people."""

from typing import ClassVar

from companyos.chassis import Due


class CarryOut(Due):
    """The time has come at which somebody is going to do something."""

    NAME: ClassVar[str] = "carry_out"

    intention_id: str
