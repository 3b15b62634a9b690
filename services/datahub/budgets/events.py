"""The events that budgets consume."""

from typing import ClassVar

from companyos.chassis import Event


class BudgetConsumed(Event):
    """From ApprovalFlow: an approval or an order committed an amount of a cost centre's budget.

    Attributes:
        budget_id: The budget; None: the current one.
    """

    NAME: ClassVar[str] = "budget.consumed"
    OBJECT: ClassVar[str] = "request_id"

    request_id: str
    cost_centre: str
    amount: float
    budget_id: str | None = None
