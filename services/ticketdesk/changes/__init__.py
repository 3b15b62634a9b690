"""Changes: rollouts that are planned for a ticket, carried out in production, and possibly rolled back."""

from companyos.chassis import Area

from .events import ChangeRolledBack, ChangeRolledOut
from .routes import changes, planning

AREA = Area(routers=[planning, changes], publishes=[ChangeRolledOut, ChangeRolledBack])

__all__ = ["AREA"]
