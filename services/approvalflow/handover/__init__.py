"""Handover: requests that change approvers, because one of them leaves, and what follows if they left already."""

from companyos.chassis import Area

from .handlers import reactions
from .routes import requests

AREA = Area(routers=[requests], reactions=reactions)

__all__ = ["AREA"]
