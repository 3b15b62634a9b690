"""The quality of metrics: their past values, and the quarantine of metrics known to be wrong."""

from companyos.chassis import Area

from .events import MetricQuarantined, MetricReleased
from .routes import quality

AREA = Area(routers=[quality], publishes=[MetricQuarantined, MetricReleased])
