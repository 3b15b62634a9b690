"""Purchases: paid from several budgets, signed in stages by everybody who must sign, and ordered once."""

from companyos.chassis import Area

from .handlers import derive_due, reactions
from .routes import purchases

AREA = Area(routers=[purchases], reactions=reactions, derive=derive_due)

__all__ = ["AREA"]
