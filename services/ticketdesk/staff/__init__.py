"""Staff: unassigns the tickets of colleagues who leave."""

from companyos.chassis import Area

from .handlers import reactions

AREA = Area(routers=[], reactions=reactions)

__all__ = ["AREA"]
