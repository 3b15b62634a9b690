"""The refusals of the periods area."""

from companyos.chassis import ServiceError
from companyos.sdk.simtime import to_iso


class PeriodUnknown(ServiceError):
    """No period has this id."""

    status_code = 404
    code = "period_unknown"

    def __init__(self, period_id: str) -> None:
        super().__init__(
            f"No period has this id: {period_id!r}. Find ids with datahub_list_periods.",
            field="period_id",
            remedy="datahub_list_periods",
        )


class PeriodLocked(ServiceError):
    """The period is locked."""

    code = "period_locked"

    def __init__(self, period_id: str) -> None:
        super().__init__(f"{period_id} is locked already. A lock is final.", field="period_id")


class PeriodBusy(ServiceError):
    """A metric of the period is being refreshed."""

    code = "period_busy"

    def __init__(self, metric_id: str, due_at: int) -> None:
        super().__init__(
            f"{metric_id} is being refreshed until {to_iso(due_at)}. Lock the period after that.",
            field="period_id",
            remedy="wait",
        )
