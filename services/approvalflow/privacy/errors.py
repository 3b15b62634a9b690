"""The refusals about personal data."""

from companyos.chassis import ServiceError


class NothingToRedact(ServiceError):
    """The request contains none of the identifiers."""

    code = "nothing_to_redact"

    def __init__(self, request_id: str) -> None:
        super().__init__(
            f"{request_id} contains none of these identifiers. Give the name, number or address that it has.",
            field="identifiers",
            required_field="identifiers",
        )


class RequestStillOpen(ServiceError):
    """Only decided or withdrawn requests can be redacted."""

    code = "request_still_open"

    def __init__(self, request_id: str, status: str) -> None:
        super().__init__(
            f"{request_id} is {status}, and its approver needs to see what it says. Redact it once it is decided.",
            field="request_id",
        )
