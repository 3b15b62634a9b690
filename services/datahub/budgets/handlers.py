"""The reaction of budgets to approvals and orders."""

from companyos.chassis import Reactions, UnitOfWork

from .events import BudgetConsumed
from .service import Budgets

reactions = Reactions()


@reactions.on(BudgetConsumed)
async def commit_what_the_approval_spends(event: BudgetConsumed, unit: UnitOfWork) -> None:
    """Add a separate commitment for each request, so that approvals commute."""
    await Budgets(unit).commit(event)
