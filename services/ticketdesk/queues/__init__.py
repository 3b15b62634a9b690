"""Queues: which team a ticket waits for, tickets that come in by themselves, and finding tickets by a query."""

from companyos.chassis import Area

from .handlers import derive_due, reactions
from .routes import querying, queues, routing

AREA = Area(routers=[queues, routing, querying], reactions=reactions, derive=derive_due)

__all__ = ["AREA"]
