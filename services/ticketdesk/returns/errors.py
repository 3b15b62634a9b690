"""The refusals of returns."""

from companyos.chassis import ServiceError

from ..domain import Status
from ..wording import NEXT_STEPS


class NotReturnable(ServiceError):
    """Only a ticket that is being worked on can be returned."""

    code = "not_returnable"

    def __init__(self, status: Status) -> None:
        super().__init__(
            f"A ticket that is {status} cannot be returned to its reporter. {NEXT_STEPS[status]}"
        )
