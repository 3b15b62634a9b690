"""DataHub's reactions to changes of the systems that its metrics measure."""

from companyos.chassis import Reactions, UnitOfWork

from .events import ChangeRolledBack, ChangeRolledOut
from .service import Recoveries

reactions = Reactions()


@reactions.on(ChangeRolledOut)
async def let_what_the_change_mends_recover(event: ChangeRolledOut, unit: UnitOfWork) -> None:
    await Recoveries(unit).begin(event.change_id, event.system, event.procedure)


@reactions.on(ChangeRolledBack)
async def let_what_the_change_had_mended_fail_again(event: ChangeRolledBack, unit: UnitOfWork) -> None:
    await Recoveries(unit).end(event.change_id, event.system, event.procedure)
