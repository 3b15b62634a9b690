"""The refusals of changes."""

from companyos.chassis import ServiceError
from companyos.sdk.simtime import to_iso

from .domain import ChangeStatus


class ChangeUnknown(ServiceError):
    """No change has this id."""

    status_code = 404
    code = "change_unknown"

    def __init__(self, change_id: str) -> None:
        super().__init__(
            f"No change has this id: {change_id!r}. Find ids with ticketdesk_list_changes.",
            field="change_id",
            remedy="ticketdesk_list_changes",
        )


class StartMissing(ServiceError):
    """An ordinary change needs a start time."""

    status_code = 422
    code = "start_missing"

    def __init__(self) -> None:
        super().__init__(
            "An ordinary change needs `starts_at`, the time at which it goes live.",
            field="starts_at",
            required_field="starts_at",
        )


class StartPassed(ServiceError):
    """The start time of a change is in the past."""

    code = "start_passed"

    def __init__(self, starts_at: int, now: int) -> None:
        super().__init__(
            f"{to_iso(starts_at)} has passed; it is {to_iso(now)}. Plan the change for a later time.",
            field="starts_at",
        )


class ChangeInProduction(ServiceError):
    """An earlier change of the ticket is live."""

    code = "change_in_production"

    def __init__(self, ticket_id: str, change_id: str) -> None:
        super().__init__(
            f"{change_id} of {ticket_id} is live. Roll it back with ticketdesk_roll_back_change before you plan "
            "another.",
            field="ticket_id",
            remedy="ticketdesk_roll_back_change",
        )


class ChangeNotPlanned(ServiceError):
    """The change has already been rolled out."""

    code = "change_not_planned"

    def __init__(self, change_id: str, status: ChangeStatus) -> None:
        super().__init__(
            f"{change_id} is {status} and cannot be rolled out again. Plan another with ticketdesk_plan_change.",
            field="change_id",
            remedy="ticketdesk_plan_change",
        )


class ChangeNotDue(ServiceError):
    """The scheduled start of an ordinary change has not come yet."""

    code = "change_not_due"

    def __init__(self, change_id: str, starts_at: int, now: int) -> None:
        super().__init__(
            f"{change_id} is an ordinary change and goes live at {to_iso(starts_at)}; it is {to_iso(now)}.",
            field="change_id",
        )


class ChangeNotLive(ServiceError):
    """The change is not in production."""

    code = "change_not_live"

    def __init__(self, change_id: str, status: ChangeStatus) -> None:
        super().__init__(
            f"{change_id} is {status}, so there is nothing to roll back. ticketdesk_list_changes shows each status.",
            field="change_id",
            remedy="ticketdesk_list_changes",
        )
