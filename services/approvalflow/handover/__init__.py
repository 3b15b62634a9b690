"""Handover: passes requests to another approver, and voids those whose approver has left."""

from companyos.chassis import Area

from .handlers import reactions
from .routes import requests

AREA = Area(routers=[requests], reactions=reactions)

__all__ = ["AREA"]
