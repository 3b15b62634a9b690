"""TicketDesk's reaction to erasures in DataHub."""

from companyos.chassis import Reactions, UnitOfWork

from .domain import ErasureMode
from .events import DataErased
from .service import Privacy

reactions = Reactions()


@reactions.on(DataErased)
async def forget_what_was_erased(event: DataErased, unit: UnitOfWork) -> None:
    if event.mode == ErasureMode.ERASE:
        await Privacy(unit).forget(event.object_id)
