"""Privacy: what DataHub holds about a person is found, and erased or redacted for good."""

from companyos.chassis import Area

from .events import DataErased
from .routes import personal_data

AREA = Area(routers=[personal_data], publishes=[DataErased])

__all__ = ["AREA"]
