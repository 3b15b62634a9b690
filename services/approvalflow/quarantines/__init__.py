"""Quarantined metrics: requests that rest on one become void."""

from companyos.chassis import Area

from .handlers import reactions

AREA = Area(routers=[], reactions=reactions)
