"""The events that budgets consume."""

from typing import ClassVar

from companyos.chassis import Event


class BudgetConsumed(Event):
    """From ApprovalFlow: an approval committed an amount of a cost center's budget."""

    NAME: ClassVar[str] = "budget.consumed"
    OBJECT: ClassVar[str] = "request_id"

    request_id: str
    cost_centre: str
    amount: float
