"""How TicketDesk's pages look."""

from typing import Final

from companyos.chassis import PageLayout

_QUEUE: Final = ("id", "title", "status", "priority", "assignee", "kind", "updated_at")

PAGES: Final = (
    PageLayout("list_tickets", title="Tickets", columns=_QUEUE),
    PageLayout("search_tickets", title="Search tickets", columns=_QUEUE, opens="get_ticket", asks_first=True),
    PageLayout("query_tickets", title="Query tickets", opens="get_ticket"),
    PageLayout("list_changes", title="Changes"),
    PageLayout("list_queues", title="Queues", fields=("queue",)),
    PageLayout(
        "get_ticket",
        title="Ticket",
        heading="title",
        text="description",
        parts=("evidence", "resolution"),
        actions=("assign_ticket", "update_ticket", "verify_ticket", "add_comment"),
        main_actions={
            "new": "assign_ticket",
            "triage": "verify_ticket",
            "returned": "update_ticket",
            "verified": "transition_ticket",
            "in_progress": "transition_ticket",
            "done": "close_ticket",
        },
        ids="TD-",
    ),
    PageLayout("list_comments", title="Comments", text="body", columns=("author", "created_at", "id")),
    PageLayout("get_history", title="History", columns=("at", "actor", "action", "field", "before", "after")),
    PageLayout("create_ticket", title="Create ticket", columns=("title", "kind", "description")),
)
