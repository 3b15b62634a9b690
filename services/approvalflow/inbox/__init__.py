"""The inbox of people who decide in person: they read requests, ask questions, decide, and pass them on."""

from companyos.chassis import Area

from .handlers import derive_due, reactions
from .routes import inbox, requests

AREA = Area(routers=[inbox, requests], reactions=reactions, derive=derive_due)

__all__ = ["AREA"]
