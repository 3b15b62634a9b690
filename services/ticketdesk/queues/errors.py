"""The refusals of queues and queries."""

from collections.abc import Iterable

from companyos.chassis import ServiceError

from .domain import FIELDS, Malformed


class QueueUnknown(ServiceError):
    """There is no such queue."""

    status_code = 404
    code = "queue_unknown"

    def __init__(self, queue: str, known: Iterable[str]) -> None:
        values = list(known)
        super().__init__(
            f"There is no queue {queue!r}. Use one of {', '.join(values) or 'none'}.",
            field="queue",
            remedy="ticketdesk_list_queues",
            allowed_values=values,
        )


class QueryInvalid(ServiceError):
    """The query cannot be parsed."""

    status_code = 422
    code = "query_invalid"

    def __init__(self, malformed: Malformed) -> None:
        super().__init__(
            f'{malformed} A query is made of terms such as status:new queue:billing answered:no id:TD-1,TD-2 "some '
            f'text"; its fields are {", ".join(FIELDS)}.',
            field="q",
            allowed_values=list(malformed.allowed) or list(FIELDS),
        )
