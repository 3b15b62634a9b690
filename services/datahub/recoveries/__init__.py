"""Recoveries: what the metrics of a system measure once the change that mends it is live."""

from companyos.chassis import Area

from .handlers import reactions

AREA = Area(routers=[], reactions=reactions)
