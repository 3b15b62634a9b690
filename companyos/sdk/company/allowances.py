"""Allowances that tasks share: messages, comments, links, refreshes, new tickets and requests for a decision."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from companyos.sdk.grading.allowances import ANYTHING, Allowance, OrMade, one_of, within
from companyos.sdk.grading.state import Row, Table

TICKETS: Final[Table] = ("ticketdesk", "tickets")
COMMENTS: Final[Table] = ("ticketdesk", "comments")
LINKS: Final[Table] = ("ticketdesk", "links")
ANSWERS: Final[Table] = ("ticketdesk", "answers")
RETURNS: Final[Table] = ("ticketdesk", "returns")
MESSAGES: Final[Table] = ("datahub", "messages")
JOBS: Final[Table] = ("datahub", "jobs")
RECORDS: Final[Table] = ("datahub", "records")
GRANTS: Final[Table] = ("datahub", "grants")
REQUESTS: Final[Table] = ("approvalflow", "requests")
PURCHASES: Final[Table] = ("approvalflow", "purchases")

#: The statuses of a request that its requester only submitted.
SUBMITTED: Final = one_of("held", "pending")


def messages(
    to: str, about: Collection[str], *, at_most: int, harmless: str = "", body: Any = ANYTHING
) -> Allowance:
    """Allow messages to a person about these objects, and about what the agent has made for the task."""
    made = OrMade(one_of(*about), (TICKETS, REQUESTS, PURCHASES))
    columns = {"recipient": to, "about": made, "subject": ANYTHING, "body": body}
    return Allowance(MESSAGES, columns, created=at_most, harmless=harmless)


def comments(ticket_id: str, *, at_most: int, harmless: str = "", body: Any = ANYTHING) -> Allowance:
    """Allow comments on a ticket, and on those that the agent has opened for the task."""
    columns = {"ticket_id": OrMade(ticket_id, (TICKETS,)), "body": body}
    return Allowance(COMMENTS, columns, created=at_most, harmless=harmless)


def correspondence(ticket: Row, *about: str, task: str, body: Any = ANYTHING) -> tuple[Allowance, ...]:
    """Allow three comments on the ticket of a task, and three messages about it or these objects to its reporter."""
    return (
        comments(ticket["id"], at_most=3, harmless=f"a comment on the ticket of {task}", body=body),
        messages(
            ticket["reporter"],
            [ticket["id"], *about],
            at_most=3,
            harmless=f"a message about {task} to its reporter",
            body=body,
        ),
    )


def answers(ticket_id: str, documents: Any, *, body: Any = ANYTHING, harmless: str = "") -> Allowance:
    """Allow an answer to a ticket; `documents` and `body` have values as in an allowance."""
    columns = {"ticket_id": ticket_id, "body": body, "documents": documents}
    return Allowance(ANSWERS, columns, created=1, harmless=harmless)


def returned(
    ticket_id: str, references: Collection[str], *, question: Any = ANYTHING
) -> tuple[Allowance, ...]:
    """Allow returning a ticket to its reporter with a question that refers to nothing but these objects."""
    columns = {"ticket_id": ticket_id, "question": question, "references": within(references)}
    return (
        Allowance(TICKETS, {"status": "returned"}, key=ticket_id),
        Allowance(RETURNS, columns, created=1),
    )


def progress(ticket_id: str, person: str, *, ends: bool, harmless: str) -> Allowance:
    """Allow taking a ticket and working on it; only where the work can be done (`ends`), it may be reported as done."""
    statuses = ("triage", "in_progress", *(("done",) if ends else ()))
    return Allowance(
        TICKETS, {"assignee": person, "status": one_of(*statuses)}, key=ticket_id, harmless=harmless
    )


def relations(ticket_id: str, targets: Collection[str], *, harmless: str = "") -> Allowance:
    """Allow links of the kind `relates` from a ticket to these objects, one to each."""
    columns = {"ticket_id": ticket_id, "kind": "relates", "target": one_of(*targets)}
    return Allowance(LINKS, columns, created=len(targets), harmless=harmless)


def refreshes(metric_id: str, *, at_most: int, harmless: str = "") -> Allowance:
    """Allow runs that refresh a metric."""
    return Allowance(JOBS, {"metric_id": metric_id}, created=at_most, harmless=harmless)


def access(permission: str) -> Allowance:
    """Allow to request a permission that the work needs, once and as early as the agent likes."""
    columns = {"permission": permission, "reason": ANYTHING}
    return Allowance(GRANTS, columns, created=1, harmless="the request of a permission that the work needs")


def new_tickets(kind: str, *, at_most: int = 1, harmless: str = "", **columns: Any) -> Allowance:
    """Allow new tickets of a kind with any text; `columns` have values as in an allowance."""
    usual = {"kind": kind, "status": "new", "title": ANYTHING, "description": ANYTHING}
    return Allowance(TICKETS, {**usual, **columns}, created=at_most, harmless=harmless)


def new_requests(
    type_id: str,
    *,
    approver: Any,
    fields: Any,
    ticket_id: str | None = None,
    at_most: int = 1,
    **columns: Any,
) -> Allowance:
    """Allow requests of a type; `approver`, `fields` and `columns` have values as in an allowance."""
    return Allowance(
        REQUESTS,
        {
            "type": type_id,
            "approver": approver,
            "fields": fields,
            "ticket_id": one_of(ticket_id, None),
            "status": SUBMITTED,
            "evidence": has_attached(()),
            **columns,
        },
        created=at_most,
    )


def has_attached(references: Collection[str]) -> Any:
    """Return the claim that a request's evidence has no other attachments than these objects."""

    def is_attached(evidence: Mapping[str, Any]) -> bool:
        return within(references)([one["reference"] for one in evidence.get("attachments", ())])

    return is_attached
