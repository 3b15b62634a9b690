"""Recoveries: updates the sources of a system's metrics when a change that fixes it goes live."""

from companyos.chassis import Area

from .handlers import reactions

AREA = Area(routers=[], reactions=reactions)
