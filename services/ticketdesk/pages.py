"""How TicketDesk's pages look."""

from typing import Final

from companyos.chassis import PageLayout

_QUEUE: Final = ("id", "title", "status", "priority", "assignee", "kind", "updated_at")

PAGES: Final = (
    PageLayout("list_tickets", title="Tickets", columns=_QUEUE),
    PageLayout("search_tickets", title="Search tickets", columns=_QUEUE, opens="get_ticket"),
    PageLayout("query_tickets", title="Query tickets", opens="get_ticket"),
    PageLayout("list_changes", title="Changes"),
    PageLayout("list_queues", title="Queues"),
    PageLayout(
        "get_ticket",
        title="Ticket",
        heading="title",
        text="description",
        actions=("assign_ticket", "update_ticket", "verify_ticket", "add_comment"),
        ids="TD-",
    ),
)
