"""TicketDesk as an ASGI application."""

from fastapi import FastAPI

from companyos.chassis import ProcessSettings, Service

from . import changes, colleagues, merging, privacy, queues, returns, staff
from .automations import AUTOMATIONS
from .events import TicketClosed, TicketReopened, TicketUnblocked, TicketVerified
from .handlers import derive_due, reactions
from .models import metadata
from .pages import PAGES
from .routes import answers, rules, search, threads, tickets

SERVICE = Service(
    name="ticketdesk",
    title="TicketDesk",
    summary="The company's tickets: what is to be done, by whom, how urgently, what blocks it, and who verified it.",
    schema_version=1,
    metadata=metadata,
    routers=[tickets, search, threads, rules, answers],
    publishes=[TicketVerified, TicketReopened, TicketUnblocked, TicketClosed],
    reactions=reactions,
    derive=derive_due,
    automations=AUTOMATIONS,
    areas=[
        changes.AREA,
        colleagues.AREA,
        merging.AREA,
        privacy.AREA,
        queues.AREA,
        returns.AREA,
        staff.AREA,
    ],
    pages=PAGES,
)


def create_app(settings: ProcessSettings | None = None) -> FastAPI:
    """Return TicketDesk as an ASGI application; settings come from the environment unless given."""
    return SERVICE.app(settings)
