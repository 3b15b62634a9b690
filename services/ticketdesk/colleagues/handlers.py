"""Carries out intentions when they are due."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companyos.chassis import Due, Reactions, UnitOfWork

from .events import CarryOut
from .service import Colleagues

reactions = Reactions()


@reactions.due(CarryOut)
async def carry_out_intention(due: CarryOut, unit: UnitOfWork) -> None:
    await Colleagues(unit).carry_out(due.intention_id)


def derive_due(rows: Mapping[str, Sequence[Any]], start: int) -> Iterable[tuple[Due, int, str]]:
    """Yield the intentions that are due after the start."""
    for intention in rows["intentions"]:
        if intention.at > start:
            yield CarryOut(intention_id=intention.id), intention.at, f"intention:{intention.id}"
