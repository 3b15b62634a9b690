"""The refusals about personal data."""

from companyos.chassis import ServiceError


class PersonalDataUnknown(ServiceError):
    """No ticket and no comment has this id."""

    status_code = 404
    code = "personal_data_unknown"

    def __init__(self, object_id: str) -> None:
        super().__init__(
            f"No ticket and no comment has this id: {object_id!r}. ticketdesk_find_personal_data finds them; records, "
            "documents, messages and requests are erased in their own services.",
            field="object_id",
            remedy="ticketdesk_find_personal_data",
        )


class NothingToRedact(ServiceError):
    """The object contains none of the identifiers."""

    code = "nothing_to_redact"

    def __init__(self, object_id: str) -> None:
        super().__init__(
            f"{object_id} contains none of these identifiers. Give the name, number or address that it has.",
            field="identifiers",
            required_field="identifiers",
        )


class TicketStillOpen(ServiceError):
    """Only closed tickets can be erased."""

    code = "ticket_still_open"

    def __init__(self, ticket_id: str, status: str) -> None:
        super().__init__(
            f"{ticket_id} is {status}, so it cannot be erased. Close it first, or redact it.",
            field="object_id",
            remedy="ticketdesk_close_ticket",
        )
