"""The wire types of periods. Agents read every description here as part of the tools."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from companyos.chassis import AnyCase, Key, PageQuery, SimTime, View

from .domain import Category, Freshness, PeriodStatus

PeriodId = Annotated[Key, Path()]
AnyPeriodStatus = Annotated[PeriodStatus, Field(strict=False), AnyCase]


class PeriodsQuery(PageQuery):
    """Which periods to list."""

    entity: Key | None = Field(None, description="Id of the entity's record.")
    status: AnyPeriodStatus | None = None


class PeriodSummary(View):
    """A period without its lines, which datahub_get_period returns."""

    id: str = Field(description="Id of the period; datahub_get_period takes it as `period_id`.")
    entity: str = Field(description="Id of the entity's record.")
    name: str = Field(description="Such as `Q3 2030`.")
    status: PeriodStatus = Field(
        description="`open`; `locked`: its values are final; or `reopened` for corrections after a lock."
    )
    starts_at: SimTime = Field(description="When it began.")
    ends_at: SimTime = Field(description="When it ended.")
    locked_by: str | None = Field(description="Person id of who locked it; null if nobody did.")
    locked_at: SimTime | None = Field(description="When it was locked.")
    version: int = Field(description="Grows by one with every change.")


class PeriodLineView(View):
    """A metric that the period is closed on."""

    metric_id: str = Field(description="The metric.")
    name: str = Field(description="What is measured.")
    category: Category = Field(description="`balance` (balance sheet) or `result` (income statement).")
    owner: str = Field(description="Person id of who answers for it.")
    reference: float = Field(description="What it is reconciled to, from outside the books.")
    value: float | None = Field(description="Its value now; once locked, the value it was locked with.")
    variance: float | None = Field(description="`value` less `reference`.")
    as_of: SimTime = Field(description="When the metric's present value was taken.")
    freshness: Freshness = Field(
        description="`current`; `stale`: too old; `outdated`: something it is computed from is not current or was "
        "taken since."
    )


class PeriodView(PeriodSummary):
    """A period with its lines."""

    lines: list[PeriodLineView] = Field(description="Its metrics, by id.")
