"""Budgets: reads, and commitments by approvals and orders."""

from companyos.chassis import ListPage, UnitOfWork

from .. import domain as metric_rules
from ..models import Metric
from . import domain
from .domain import Balance
from .errors import BudgetUnknown
from .events import BudgetConsumed
from .models import Budget, Commitment


class Budgets:
    """The company's budgets, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def page(self, *, cost_centre: str | None, cursor: str | None, limit: int) -> ListPage[Budget]:
        """Return a page of budgets, optionally of one cost centre."""
        if cost_centre is None:
            return await self._unit.page(Budget, after=cursor, limit=limit)
        return await self._unit.page(Budget, after=cursor, limit=limit, cost_centre=cost_centre)

    async def balance(self, budget_id: str) -> Balance:
        """Return a budget with its committed and remaining amounts.

        Raises:
            BudgetUnknown: No such budget in this world.
        """
        budget = await self._unit.get(Budget, budget_id)
        if budget is None:
            raise BudgetUnknown(budget_id)
        ledger = await self._ledger(budget)
        committed = (ledger.value or 0.0) if ledger else 0.0
        reserved = [one.amount for one in await self._unit.all(Commitment, budget_id=budget.id)]
        return Balance(
            id=budget.id,
            cost_centre=budget.cost_centre,
            name=budget.name,
            owner=budget.owner,
            starts_at=budget.starts_at,
            ends_at=budget.ends_at,
            currency=budget.currency,
            limit_amount=budget.limit_amount,
            metric_id=ledger.id if ledger else None,
            committed=committed,
            as_of=ledger.as_of if ledger else None,
            is_stale=ledger is not None and metric_rules.is_stale(ledger.as_of, ledger.ttl_s, self._unit.now),
            reserved=domain.total(reserved),
            remaining=domain.remaining(budget.limit_amount, committed, reserved),
        )

    async def commit(self, spent: BudgetConsumed) -> None:
        """Commit an amount in the named budget, or else in the cost centre's current one, if there is one."""
        budgets = await self._unit.all(Budget, cost_centre=spent.cost_centre)
        for budget in budgets:
            if spent.budget_id == budget.id or (
                spent.budget_id is None and domain.is_current(budget, self._unit.published_at)
            ):
                made = Commitment(spent.request_id, budget.id, spent.amount, at=self._unit.published_at)
                self._unit.add(made)
                return

    async def _ledger(self, budget: Budget) -> Metric | None:
        found = await self._unit.all(Metric, subject=budget.id, name=domain.LEDGER)
        return found[0] if found else None
