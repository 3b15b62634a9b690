"""TicketDesk, put together."""

from fastapi import FastAPI

from companyos.chassis import Service, Settings

from .events import TicketClosed, TicketReopened, TicketUnblocked, TicketVerified
from .handlers import reactions
from .models import metadata
from .routes import rules, threads, tickets

SERVICE = Service(
    name="ticketdesk",
    title="TicketDesk",
    summary="The company's tickets: what is to be done, by whom, how soon, what blocks it, and who has checked it.",
    schema_version=1,
    metadata=metadata,
    routers=[tickets, threads, rules],
    publishes=[TicketVerified, TicketReopened, TicketUnblocked, TicketClosed],
    reactions=reactions,
)


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return TicketDesk as an ASGI application; settings come from the environment unless given."""
    return SERVICE.app(settings)
