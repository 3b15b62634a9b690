"""The events of the quality area."""

from typing import ClassVar

from companyos.chassis import Event


class MetricQuarantined(Event):
    """A metric is known to be wrong; `number` counts its quarantines and releases, including this one."""

    NAME: ClassVar[str] = "metric.quarantined"
    OBJECT: ClassVar[str] = "metric_id"

    metric_id: str
    number: int


class MetricReleased(Event):
    """A metric's quarantine was lifted; `number` counts as in `MetricQuarantined`."""

    NAME: ClassVar[str] = "metric.released"
    OBJECT: ClassVar[str] = "metric_id"

    metric_id: str
    number: int
