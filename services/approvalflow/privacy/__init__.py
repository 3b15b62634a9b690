"""Privacy: requests that mention a person are found and redacted; the decisions themselves stay."""

from companyos.chassis import Area

from .handlers import reactions
from .routes import personal_data

AREA = Area(routers=[personal_data], reactions=reactions)

__all__ = ["AREA"]
