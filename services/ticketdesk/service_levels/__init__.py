"""Service levels: the time to a first answer, counted in the business hours of a calendar."""

from companyos.chassis import Area

from .handlers import derive_due, reactions
from .routes import answers

AREA = Area(routers=[answers], reactions=reactions, derive=derive_due)

__all__ = ["AREA"]
