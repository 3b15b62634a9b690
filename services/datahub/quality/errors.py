"""The refusals of the quality area."""

from companyos.chassis import ServiceError


class AlreadyQuarantined(ServiceError):
    """The metric is already quarantined."""

    code = "already_quarantined"

    def __init__(self, metric_id: str) -> None:
        super().__init__(
            f"{metric_id} is quarantined already. datahub_release_metric lifts a quarantine.",
            field="metric_id",
            remedy="datahub_release_metric",
        )


class NotQuarantined(ServiceError):
    """The metric is not quarantined."""

    code = "not_quarantined"

    def __init__(self, metric_id: str) -> None:
        super().__init__(
            f"{metric_id} is not quarantined, so there is nothing to lift. datahub_list_metrics shows each status.",
            field="metric_id",
            remedy="datahub_list_metrics",
        )
