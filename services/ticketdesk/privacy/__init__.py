"""Privacy: what TicketDesk holds about a person is found, and erased or redacted for good."""

from companyos.chassis import Area

from .events import TicketErased
from .handlers import reactions
from .routes import personal_data

AREA = Area(routers=[personal_data], publishes=[TicketErased], reactions=reactions)

__all__ = ["AREA"]
