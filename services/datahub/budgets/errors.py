"""The refusals of budgets."""

from companyos.chassis import ServiceError


class BudgetUnknown(ServiceError):
    """No budget has this id."""

    status_code = 404
    code = "budget_unknown"

    def __init__(self, budget_id: str) -> None:
        super().__init__(
            f"No budget has this id: {budget_id!r}. Find ids with datahub_list_budgets.",
            field="budget_id",
            remedy="datahub_list_budgets",
        )
