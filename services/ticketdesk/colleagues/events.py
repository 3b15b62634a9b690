"""The scheduled event that carries out an intention."""

from typing import ClassVar

from companyos.chassis import Due


class CarryOut(Due):
    """An intention is due."""

    NAME: ClassVar[str] = "carry_out"

    intention_id: str
