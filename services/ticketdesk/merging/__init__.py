"""Merging: a ticket that repeats another is closed, and the other one stands for both."""

from companyos.chassis import Area

from .events import TicketMerged
from .routes import merging

AREA = Area(routers=[merging], publishes=[TicketMerged])

__all__ = ["AREA"]
