"""Returns: sends a ticket with wrong or insufficient facts back to its reporter with a question."""

from companyos.chassis import Area

from .events import TicketReturned
from .routes import returns

AREA = Area(routers=[returns], publishes=[TicketReturned])

__all__ = ["AREA"]
