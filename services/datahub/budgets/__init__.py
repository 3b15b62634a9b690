"""Budgets: what each cost center may spend in a period, and what is committed of it."""

from companyos.chassis import Area

from .handlers import reactions
from .routes import budgets

AREA = Area(routers=[budgets], reactions=reactions)

__all__ = ["AREA"]
