"""Merging: closes a duplicate ticket in favor of the one that it repeats."""

from companyos.chassis import Area

from .events import TicketMerged
from .routes import merging

AREA = Area(routers=[merging], publishes=[TicketMerged])

__all__ = ["AREA"]
