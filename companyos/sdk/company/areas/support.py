"""A support team's part of a company: queues, service levels, waiting tickets, and future tickets."""

from collections.abc import Mapping, Sequence
from typing import Final

from ..company import Company
from ..rows import Row
from ..staff import Person

#: Opening hours of the support calendar: 8 a.m. to 6 p.m., every day.
_OPENS_S, _CLOSES_S = 8 * 3600, 18 * 3600
_CALENDAR: Final = "support"


def add_queue(
    company: Company, queue_id: str, name: str, team: str, about: str, on_call: Person | None
) -> Row:
    """Add a team's queue."""
    return company.add_row(
        "ticketdesk",
        "queues",
        {
            "id": queue_id,
            "name": name,
            "team": team,
            "about": about,
            "on_call": on_call.id if on_call else None,
        },
    )


def add_service_levels(company: Company, answer_s: Mapping[tuple[str, str], int]) -> None:
    """Add the support calendar, and the time to a first answer by contract tier and priority."""
    hours = {"opens_s": _OPENS_S, "closes_s": _CLOSES_S, "weekdays": list(range(7))}
    company.add_row("ticketdesk", "calendars", {"id": _CALENDAR, **hours})
    for (tier, priority), seconds in answer_s.items():
        level = {"id": f"{tier}:{priority}", "tier": tier, "priority": priority}
        company.add_row("ticketdesk", "service_levels", {**level, "answer_s": seconds, "calendar": _CALENDAR})


def place(company: Company, ticket: Row, queue: str, *, at: int) -> Row:
    """Put a ticket without any acts into the queue in which its reporter filed it, and change when that was."""
    filed_at(company, ticket, at)
    placed = {
        "id": ticket["id"],
        "queue": queue,
        "placed_by": ticket["reporter"],
        "placed_at": ticket["created_at"],
    }
    return company.add_row("ticketdesk", "placements", placed)


def start_clock(company: Company, ticket: Row, tier: str, *, answered_at: int | None = None) -> Row:
    """Start a ticket's answer clock; `answered_at` is the time of the first answer, if there is one."""
    clock = {
        "id": ticket["id"],
        "tier": tier,
        "started_at": ticket["created_at"],
        "answered_at": answered_at,
        "breached_at": None,
    }
    return company.add_row("ticketdesk", "answer_clocks", clock)


def filed_at(company: Company, ticket: Row, at: int) -> None:
    """Change the time at which a ticket without any acts was filed."""
    ticket.update(created_at=at, updated_at=at)
    for line in company.rows["ticketdesk"]["history"]:
        if line["ticket_id"] == ticket["id"]:
            line["at"] = at


def add_arrival(
    company: Company,
    ticket_id: str,
    kind: str,
    title: str,
    description: str,
    reporter: Person,
    *,
    at: int,
    tier: str,
    queue: str,
    subject: str | None,
) -> Row:
    """Add a ticket that arrives during the episode."""
    arrival = {"id": ticket_id, "at": at, "kind": kind, "title": title, "description": description}
    return company.add_row(
        "ticketdesk",
        "arrivals",
        {**arrival, "reporter": reporter.id, "tier": tier, "queue": queue, "subject": subject},
    )


def add_intention(
    company: Company,
    ticket_id: str,
    person: Person,
    act: str,
    *,
    at: int,
    text: str = "",
    documents: Sequence[str] = (),
) -> Row:
    """Add what a person will do about a ticket during the episode: `take`, `answer` or `write`."""
    columns = {"ticket_id": ticket_id, "person": person.id, "at": at, "act": act}
    number = len(company.rows["ticketdesk"]["intentions"]) + 1
    return company.add_row(
        "ticketdesk",
        "intentions",
        {"id": f"INT-{number:03}", **columns, "text": text, "documents": list(documents)},
    )
