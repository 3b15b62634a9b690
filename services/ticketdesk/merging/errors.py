"""The refusals of merging."""

from companyos.chassis import ServiceError


class MergedIntoItself(ServiceError):
    """A ticket cannot be merged into itself."""

    code = "merged_into_itself"

    def __init__(self, ticket_id: str) -> None:
        super().__init__(
            f"{ticket_id} cannot be merged into itself. Name the ticket it repeats.", field="into"
        )


class WorkHasBegun(ServiceError):
    """A ticket that is already being worked on cannot be closed as a duplicate."""

    code = "work_has_begun"

    def __init__(self, ticket_id: str, status: str) -> None:
        super().__init__(
            f"{ticket_id} is {status}, so it cannot be merged into another ticket. Merge the other one into it, or "
            "link the two with ticketdesk_link_ticket.",
            field="ticket_id",
            remedy="ticketdesk_link_ticket",
        )
