"""The refusals about messages."""

from companyos.chassis import ServiceError


class MessageUnknown(ServiceError):
    """The caller has no message with this id."""

    status_code = 404
    code = "message_unknown"

    def __init__(self, message_id: str) -> None:
        super().__init__(
            f"You have no message of this id: {message_id!r}. Find ids with datahub_list_messages.",
            field="message_id",
            remedy="datahub_list_messages",
        )


class MessageToOneself(ServiceError):
    """Sender and recipient are one person."""

    status_code = 422
    code = "message_to_oneself"

    def __init__(self) -> None:
        super().__init__(
            "You cannot write to yourself. Find colleagues with datahub_list_people.",
            field="to",
            remedy="datahub_list_people",
        )
