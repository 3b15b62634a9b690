"""Accounting periods: the metrics on which an entity closes its books, their freshness, and the lock."""

from companyos.chassis import Area

from .routes import periods

AREA = Area(routers=[periods])

__all__ = ["AREA"]
