"""What approvals do to budgets."""

from companyos.chassis import Reactions, UnitOfWork

from .events import BudgetConsumed
from .service import Budgets

reactions = Reactions()


@reactions.on(BudgetConsumed)
async def commit_what_the_approval_spends(event: BudgetConsumed, unit: UnitOfWork) -> None:
    """Each request has a commitment of its own, so approvals commute."""
    await Budgets(unit).commit(event)
