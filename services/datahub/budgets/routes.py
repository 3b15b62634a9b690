"""Budgets over HTTP. Agents read each route's summary and description as the tool's description."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from .domain import Balance
from .schemas import BudgetId, BudgetsQuery, BudgetSummary, BudgetView
from .service import Budgets

budgets = ToolRouter(prefix="/budgets", tags=["budgets"])


@budgets.get(
    "",
    response_model=Page[BudgetSummary],
    summary="List budgets",
    description="Shows the limit of each. A cost centre has one budget for each period.",
)
async def list_budgets(query: Annotated[BudgetsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Budgets(unit).page(**query.model_dump()), query.limit)


@budgets.get(
    "/{budget_id}",
    response_model=BudgetView,
    summary="Read a budget",
    description="Returns its limit, what is committed and reserved, and what remains. If `is_stale`, renew `committed` "
    "with datahub_refresh_data.",
)
async def get_budget(budget_id: BudgetId, unit: InWorld) -> Balance:
    return await Budgets(unit).balance(budget_id)
