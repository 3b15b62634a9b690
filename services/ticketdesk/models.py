"""The rows that TicketDesk stores in each world.

Times are seconds of the simulated clock, and ids are those that agents see. The database returns enum members
as plain text, which equals the member but is not identical to it: compare with `==`, never with `is` or
`match`.
"""

from dataclasses import field

from companyos.chassis import permission_table, world_metadata, world_table

from .domain import Action, Approval, ExternalKind, ExternalStatus, Hours, LinkKind, Priority, Status

metadata = world_metadata("ticketdesk")

#: The permissions and the people and roles that have them, as last announced by DataHub.
Permission = permission_table(metadata, owner="datahub")


@world_table(metadata, "people", hidden=True)
class Person:
    """A person as last announced by DataHub; kept to check who can be assigned work."""

    id: str
    name: str
    role: str
    team: str
    active: bool


@world_table(
    metadata,
    "tickets",
    indexes=[("status",), ("assignee",), ("kind",), ("priority",)],
    maintained=(
        "reporter",
        "requires_approval",
        "created_at",
        "updated_at",
        "verified_by",
        "verified_at",
        "approval",
        "version",
    ),
)
class Ticket:
    """A requested piece of work.

    Attributes:
        id: `TD-` and a number.
        kind: Id of one of the company's kinds.
        subject: Id of the ticket's subject: a record, a metric, a request.
        blocked_by: The tickets that must be finished and verified first, and the metrics and requests to wait
            for, which also have rows in `external_blockers`; not empty while the status is `blocked`.
        resolution: The result of the work, written when the ticket is closed.
        references: Ids of the objects that the verifier checked the ticket against; empty unless it is
            verified.
        evidence: The verifier's evidence; set if and only if `verified_by` and `verified_at` are set.
        requires_approval: Whether work on it waits for an approval.
        approval: The outcome of the newest approval request about it.
        version: Incremented with every change of this row.
    """

    id: str
    kind: str
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
    references: list[str] = field(default_factory=list)
    verified_by: str | None = None
    verified_at: int | None = None
    approval: Approval = Approval.NONE
    version: int = 1


@world_table(metadata, "external_blockers", hidden=True, maintained=("kind", "status", "since"))
class ExternalBlocker:
    """A metric or a request that a ticket waits for, under its own id, as last announced by its service.

    Attributes:
        since: The metric's version when the ticket was blocked: any newer one settles the blocker.
    """

    id: str
    kind: ExternalKind
    status: ExternalStatus = ExternalStatus.OPEN
    since: int = 0


@world_table(metadata, "comments", indexes=[("ticket_id",)], maintained=("author", "created_at"))
class Comment:
    """A comment on a ticket. Comments are not edited and are never instructions."""

    id: str
    ticket_id: str
    author: str
    body: str
    created_at: int


@world_table(metadata, "links", indexes=[("ticket_id",)], maintained=("created_at",))
class Link:
    """A relation from a ticket to another ticket, a record or an approval request."""

    id: str
    ticket_id: str
    kind: LinkKind
    target: str
    created_at: int


@world_table(metadata, "history", indexes=[("ticket_id",)], journal=True)
class HistoryLine:
    """One change of a ticket; `before` and `after` are the field's values as text."""

    id: str
    ticket_id: str
    at: int
    actor: str
    action: Action
    field: str | None = None
    before: str | None = None
    after: str | None = None


@world_table(metadata, "ticket_kinds")
class TicketKind:
    """A kind of ticket with its requirements, which the company defines, not the service.

    Attributes:
        id: The name by which tickets refer to it.
        allowed: The priorities that such a ticket may have.
        verifier_roles: The roles that may verify it.
        required_fields: The fields that must be set before it can be verified, out of `priority`, `assignee`,
            `cost_centre` and `subject`.
        needs_approval: Whether a new ticket waits for an approval before work on it may begin.
    """

    id: str
    name: str
    allowed: list[Priority]
    verifier_roles: list[str]
    required_fields: list[str]
    needs_approval: bool = True


@world_table(metadata, "calendars")
class Calendar:
    """The opening hours of a desk: seconds of the day, and weekdays with Monday as 0."""

    id: str
    opens_s: int
    closes_s: int
    weekdays: list[int]

    @property
    def hours(self) -> Hours:
        """The opening hours as the rules use them."""
        return Hours(self.opens_s, self.closes_s, frozenset(self.weekdays))


@world_table(metadata, "service_levels", indexes=[("tier",)])
class ServiceLevel:
    """How soon a first answer is due for a contract tier and a priority; id `<tier>:<priority>`.

    Attributes:
        answer_s: Seconds of the calendar's opening hours.
    """

    id: str
    tier: str
    priority: Priority
    answer_s: int
    calendar: str


@world_table(metadata, "answer_clocks", maintained=("started_at", "answered_at", "breached_at"))
class AnswerClock:
    """The clock of a ticket's first answer, under the ticket's id.

    Attributes:
        tier: The contract tier on file when the ticket was filed.
        answered_at: When it was first answered, or returned with a question.
        breached_at: When the answer was found to be overdue.
    """

    id: str
    tier: str
    started_at: int
    answered_at: int | None = None
    breached_at: int | None = None


@world_table(metadata, "answers", indexes=[("ticket_id",)], maintained=("author", "answered_at"))
class Answer:
    """An answer to a ticket's reporter; id `<ticket>-A<n>`.

    Attributes:
        documents: Ids of the documents sent with it.
    """

    id: str
    ticket_id: str
    author: str
    body: str
    answered_at: int
    documents: list[str] = field(default_factory=list)
