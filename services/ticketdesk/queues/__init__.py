"""Queues: the team that a ticket waits for, tickets that arrive later, and a query for tickets."""

from companyos.chassis import Area

from .handlers import derive_due, reactions
from .routes import querying, queues, routing

AREA = Area(routers=[queues, routing, querying], reactions=reactions, derive=derive_due)

__all__ = ["AREA"]
