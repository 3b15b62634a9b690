"""DataHub as an ASGI application."""

from fastapi import FastAPI

from companyos.chassis import ProcessSettings, Service

from . import (
    assets,
    budgets,
    datasets,
    documents,
    entitlements,
    messages,
    payables,
    periods,
    privacy,
    quality,
    recoveries,
)
from .automations import AUTOMATIONS
from .events import AccessGranted, MetricExpired, MetricRefreshed, PersonAway, PersonBack, RecordChanged
from .handlers import derive_due, reactions
from .models import metadata
from .pages import PAGES
from .routes import access, approvers, jobs, metrics, people, records

SERVICE = Service(
    name="datahub",
    title="DataHub",
    summary="The company's metrics with their age and origin, its records, and its people directory.",
    schema_version=1,
    metadata=metadata,
    routers=[metrics, jobs, records, people, approvers, access],
    publishes=[MetricRefreshed, MetricExpired, PersonAway, PersonBack, RecordChanged, AccessGranted],
    reactions=reactions,
    derive=derive_due,
    automations=AUTOMATIONS,
    areas=[
        assets.AREA,
        budgets.AREA,
        datasets.AREA,
        documents.AREA,
        entitlements.AREA,
        messages.AREA,
        payables.AREA,
        periods.AREA,
        privacy.AREA,
        quality.AREA,
        recoveries.AREA,
    ],
    pages=PAGES,
)


def create_app(settings: ProcessSettings | None = None) -> FastAPI:
    """Return DataHub as an ASGI application."""
    return SERVICE.app(settings)
