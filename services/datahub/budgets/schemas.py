"""The wire types of budgets. Agents read every description here as part of the tools."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from companyos.chassis import Key, PageQuery, SimTime, View

BudgetId = Annotated[Key, Path()]


class BudgetsQuery(PageQuery):
    """Which budgets to list."""

    cost_centre: Key | None = Field(None, description="Such as `CC-310`.")


class BudgetSummary(View):
    """A budget without its balance, which datahub_get_budget returns."""

    id: str = Field(description="Id of the budget; datahub_get_budget takes it as `budget_id`.")
    cost_centre: str = Field(description="The cost centre that it pays for.")
    name: str = Field(description="Its name.")
    owner: str = Field(description="Person id of its owner.")
    starts_at: SimTime = Field(description="From when on it may be spent.")
    ends_at: SimTime = Field(description="Until when it may be spent.")
    currency: str = Field(description="Currency of its amounts.")
    limit_amount: float = Field(description="What may be spent in its period.")


class BudgetView(BudgetSummary):
    """A budget with its balance."""

    metric_id: str | None = Field(description="The metric that holds `committed`; null if there is none.")
    committed: float = Field(description="What its ledger shows as committed, at `as_of`.")
    as_of: SimTime | None = Field(description="When `committed` was taken from the ledger.")
    is_stale: bool = Field(description="Whether `committed` is too old to rely on.")
    reserved: float = Field(description="What approvals committed that the ledger does not show.")
    remaining: float = Field(description="`limit_amount` less `committed` and `reserved`.")
