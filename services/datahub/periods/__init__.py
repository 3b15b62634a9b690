"""Accounting periods: the metrics that an entity's books are closed on, how current they are, and the lock."""

from companyos.chassis import Area

from .routes import periods

AREA = Area(routers=[periods])

__all__ = ["AREA"]
