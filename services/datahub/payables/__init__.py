"""Payables: purchase orders, received goods, supplier invoices, and the settlement of each invoice."""

from companyos.chassis import Area

from .handlers import derive_due, reactions
from .routes import invoices, orders

AREA = Area(routers=[invoices, orders], reactions=reactions, derive=derive_due)

__all__ = ["AREA"]
