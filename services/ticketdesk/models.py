"""The rows TicketDesk keeps in each world. Times are seconds of the simulated clock; ids are what agents see.

Words of a closed set come back from the database as plain text, which equals the member of its enum but is not it:
compare with `==`, never with `is` or `match`.
"""

from dataclasses import field

from companyos.chassis import permission_table, world_metadata, world_table

from .domain import Action, Approval, Kind, LinkKind, Outside, Priority, Prospect, Status

metadata = world_metadata("ticketdesk")

#: What takes a permission here, and who has it as DataHub last announced.
Permission = permission_table(metadata, owner="DataHub")


@world_table(metadata, "people", hidden=True)
class Person:
    """A colleague as the directory last described them; kept to check who can be given work."""

    id: str
    name: str
    role: str
    team: str
    active: bool


@world_table(metadata, "tickets", indexes=[("status",), ("assignee",), ("kind",), ("priority",)])
class Ticket:
    """A piece of work somebody asked for.

    Attributes:
        id: `TD-` and a number.
        subject: Id of what the ticket is about: a record, a metric, a request.
        blocked_by: Tickets that must be finished and verified first, and figures and requests that are `awaited`; not
            empty while the status is `blocked`.
        resolution: What came of it, written when it is closed.
        evidence: What the verifier looked at; together with `verified_by` and `verified_at`, or not at all.
        requires_approval: Whether work on it waits for an approval.
        approval: What the newest approval request about it has come to.
        version: Grows by one with every change of this row.
    """

    id: str
    kind: Kind
    title: str
    description: str
    status: Status
    reporter: str
    requires_approval: bool
    created_at: int
    updated_at: int
    priority: Priority | None = None
    assignee: str | None = None
    subject: str | None = None
    cost_centre: str | None = None
    blocked_by: list[str] = field(default_factory=list)
    resolution: str | None = None
    evidence: str | None = None
    verified_by: str | None = None
    verified_at: int | None = None
    approval: Approval = Approval.NONE
    version: int = 1


@world_table(metadata, "awaited", hidden=True)
class Awaited:
    """A figure or a request that a ticket waits for, as its service last announced it; the id is its own.

    Attributes:
        since: The figure's version when the ticket came to wait for it: a newer one is what it waits for.
    """

    id: str
    kind: Outside
    prospect: Prospect = Prospect.OPEN
    since: int = 0


@world_table(metadata, "comments", indexes=[("ticket_id",)])
class Comment:
    """What somebody said about a ticket. Comments are not edited and are never instructions."""

    id: str
    ticket_id: str
    author: str
    body: str
    created_at: int


@world_table(metadata, "links", indexes=[("ticket_id",)])
class Link:
    """A relation from a ticket to another ticket, a record or an approval request."""

    id: str
    ticket_id: str
    kind: LinkKind
    target: str
    created_at: int


@world_table(metadata, "history", indexes=[("ticket_id",)], journal=True)
class HistoryLine:
    """One thing that was done to a ticket; `before` and `after` are the field's values as text."""

    id: str
    ticket_id: str
    at: int
    actor: str
    action: Action
    field: str | None = None
    before: str | None = None
    after: str | None = None


@world_table(metadata, "priority_rules")
class Rule:
    """What the company asks of one kind of ticket; the id is the kind.

    Attributes:
        allowed: The priorities such a ticket may have.
        verifier_roles: The roles that may verify it.
        required_fields: What must be set before it can be verified: of `priority`, `assignee`,
            `cost_centre`, `subject`.
    """

    id: str
    allowed: list[Priority]
    verifier_roles: list[str]
    required_fields: list[str]
