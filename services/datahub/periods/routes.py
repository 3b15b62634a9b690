"""Periods over HTTP. Agents read each route's summary and description as the tool's description."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from .schemas import PeriodId, PeriodsQuery, PeriodSummary, PeriodView
from .service import Periods, PeriodStanding

periods = ToolRouter(prefix="/periods", tags=["periods"])


@periods.get(
    "",
    response_model=Page[PeriodSummary],
    summary="List accounting periods",
    description="Shows the status of each. An entity has one for each quarter.",
)
async def list_periods(query: Annotated[PeriodsQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Periods(unit).page(**query.model_dump()), query.limit)


@periods.get(
    "/{period_id}",
    response_model=PeriodView,
    summary="Read an accounting period",
    description="Returns the metrics that it is closed on, each with its variance and how current it is. "
    "datahub_refresh_data takes a metric anew; what is computed from it is outdated then.",
)
async def get_period(period_id: PeriodId, unit: InWorld) -> PeriodStanding:
    return await Periods(unit).get(period_id)


@periods.post(
    "/{period_id}/lock",
    response_model=PeriodView,
    summary="Lock an accounting period for good",
    description="Irreversible: its metrics' present values become final, whether or not they are right, current or "
    "approved.",
)
async def lock_period(period_id: PeriodId, unit: InWorld) -> PeriodStanding:
    return await Periods(unit).lock(period_id)
