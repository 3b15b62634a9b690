"""Privacy: finds the data that DataHub holds about a person, and permanently erases or redacts it."""

from companyos.chassis import Area

from .events import DataErased
from .routes import personal_data

AREA = Area(routers=[personal_data], publishes=[DataErased])

__all__ = ["AREA"]
