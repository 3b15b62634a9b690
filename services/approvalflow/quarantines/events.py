"""The quarantine events that ApprovalFlow consumes."""

from typing import ClassVar

from companyos.chassis import Event


class MetricQuarantined(Event):
    """From DataHub: a metric is known to be wrong; `number` orders a metric's quarantines and releases."""

    NAME: ClassVar[str] = "metric.quarantined"
    OBJECT: ClassVar[str] = "metric_id"

    metric_id: str
    number: int


class MetricReleased(Event):
    """From DataHub: a metric's quarantine was lifted; `number` orders a metric's quarantines and releases."""

    NAME: ClassVar[str] = "metric.released"
    OBJECT: ClassVar[str] = "metric_id"

    metric_id: str
    number: int
