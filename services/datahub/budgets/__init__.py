"""Budgets: how much each cost centre may spend in a period, and how much of it is committed."""

from companyos.chassis import Area

from .handlers import reactions
from .routes import budgets

AREA = Area(routers=[budgets], reactions=reactions)

__all__ = ["AREA"]
