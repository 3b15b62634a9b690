"""The reactions of purchases to their own schedule."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companyos.chassis import Due, Reactions, UnitOfWork

from .domain import SignOffStatus
from .events import PlacePlannedOrder, Sign
from .service import Purchases

reactions = Reactions()


@reactions.due(Sign)
async def let_the_person_sign(due: Sign, unit: UnitOfWork) -> None:
    await Purchases(unit).sign(due.sign_off_id)


@reactions.due(PlacePlannedOrder)
async def let_the_colleague_order(due: PlacePlannedOrder, unit: UnitOfWork) -> None:
    await Purchases(unit).order_as_planned(due.planned_id)


def derive_due(rows: Mapping[str, Sequence[Any]], start: int) -> Iterable[tuple[Due, int, str]]:
    """Yield the signatures that are due and colleagues' planned orders, as (work, time, id)."""
    for sign_off in rows.get("sign_offs", ()):
        if sign_off.status == SignOffStatus.PENDING and sign_off.due_at is not None:
            yield Sign(sign_off_id=sign_off.id), max(sign_off.due_at, start), f"signing:{sign_off.id}"
    for planned in rows.get("planned_orders", ()):
        if planned.at > start:
            yield PlacePlannedOrder(planned_id=planned.id), planned.at, f"planned:{planned.id}"
