"""ApprovalFlow as an ASGI application."""

from fastapi import FastAPI

from companyos.chassis import ProcessSettings, Service

from . import handover, inbox, privacy, purchases
from .automations import AUTOMATIONS
from .events import ApprovalDecided, ApprovalRequested, BudgetConsumed
from .handlers import derive_due, reactions
from .models import metadata
from .pages import PAGES
from .routes import requests, types

SERVICE = Service(
    name="approvalflow",
    title="ApprovalFlow",
    summary="The decisions the company takes in writing: kinds of approval, their policies, requests and their audit.",
    schema_version=1,
    metadata=metadata,
    routers=[types, requests],
    publishes=[ApprovalRequested, ApprovalDecided, BudgetConsumed],
    reactions=reactions,
    derive=derive_due,
    automations=AUTOMATIONS,
    areas=[handover.AREA, inbox.AREA, privacy.AREA, purchases.AREA],
    pages=PAGES,
)


def create_app(settings: ProcessSettings | None = None) -> FastAPI:
    """Return ApprovalFlow as an ASGI application."""
    return SERVICE.app(settings)
