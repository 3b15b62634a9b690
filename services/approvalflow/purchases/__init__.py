"""Purchases: what several budgets pay together, signed in stages by everybody who has to, and ordered once."""

from companyos.chassis import Area

from .handlers import derive_due, reactions
from .routes import purchases

AREA = Area(routers=[purchases], reactions=reactions, derive=derive_due)

__all__ = ["AREA"]
