"""The reaction of queues to arriving tickets."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companyos.chassis import Due, Reactions, UnitOfWork

from .events import TakeIn
from .service import Queues

reactions = Reactions()


@reactions.due(TakeIn)
async def file_the_ticket_that_comes_in(due: TakeIn, unit: UnitOfWork) -> None:
    await Queues(unit).take_in(due.arrival_id)


def derive_due(rows: Mapping[str, Sequence[Any]], start: int) -> Iterable[tuple[Due, int, str]]:
    """Yield the tickets that arrive after the start."""
    for arrival in rows["arrivals"]:
        if arrival.at > start:
            yield TakeIn(arrival_id=arrival.id), arrival.at, f"arrival:{arrival.id}"
