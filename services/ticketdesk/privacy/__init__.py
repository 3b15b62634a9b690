"""Privacy: finds the data that TicketDesk holds about a person, and permanently erases or redacts it."""

from companyos.chassis import Area

from .events import TicketErased
from .handlers import reactions
from .routes import personal_data

AREA = Area(routers=[personal_data], publishes=[TicketErased], reactions=reactions)

__all__ = ["AREA"]
