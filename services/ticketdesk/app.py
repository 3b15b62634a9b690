"""TicketDesk as an ASGI application."""

from fastapi import FastAPI

from companyos.chassis import ProcessSettings, Service

from . import changes, colleagues, merging, privacy, queues, returns, service_levels, staff
from .automations import AUTOMATIONS
from .events import TicketClosed, TicketReopened, TicketUnblocked, TicketVerified
from .handlers import reactions
from .models import metadata
from .pages import PAGES
from .routes import rules, search, threads, tickets

SERVICE = Service(
    name="ticketdesk",
    title="TicketDesk",
    summary="The company's tickets: what is to be done, by whom, how urgently, what blocks it, and who verified it.",
    schema_version=1,
    metadata=metadata,
    routers=[tickets, search, threads, rules],
    publishes=[TicketVerified, TicketReopened, TicketUnblocked, TicketClosed],
    reactions=reactions,
    automations=AUTOMATIONS,
    areas=[
        changes.AREA,
        colleagues.AREA,
        merging.AREA,
        privacy.AREA,
        queues.AREA,
        returns.AREA,
        service_levels.AREA,
        staff.AREA,
    ],
    pages=PAGES,
)


def create_app(settings: ProcessSettings | None = None) -> FastAPI:
    """Return TicketDesk as an ASGI application; settings come from the environment unless given."""
    return SERVICE.app(settings)
