"""Quarantined metrics: voids the requests that are based on them."""

from companyos.chassis import Area

from .handlers import reactions

AREA = Area(routers=[], reactions=reactions)
