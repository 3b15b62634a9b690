"""Privacy: finds and redacts requests that mention a person, without changing the decisions."""

from companyos.chassis import Area

from .handlers import reactions
from .routes import personal_data

AREA = Area(routers=[personal_data], reactions=reactions)

__all__ = ["AREA"]
