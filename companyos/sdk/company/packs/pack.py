"""Packs: plain data that a department adds to every company whose scenario names it.

The builder has no content of its own. Ticket kinds, approval types, record kinds, roles, names and phrases come from
packs; `content.py` combines the packs of a scenario.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from companyos.sdk.simtime import DAY, HOUR

from ..rows import Row
from .phrases import Phrases
from .texts import DocumentTemplate, MailTemplate, Section

#: How long an approver takes to decide.
DECISION_S: Final = HOUR
#: The fields that a ticket about a record needs before it can be verified.
ABOUT_A_RECORD: Final = ("priority", "assignee", "cost_centre", "subject")
#: The same for a ticket that need not be about a record.
ABOUT_ANYTHING: Final = ABOUT_A_RECORD[:-1]

#: Writes one past event into a company; called with the company, its cast and the story's number.
Story = Callable[..., None]


@dataclass(frozen=True)
class TicketKind:
    """A kind of ticket.

    Attributes:
        allowed: The priorities that such a ticket may have.
        verifier_roles: The roles that may verify it.
        required_fields: The fields that must be set before it can be verified.
        needs_approval: Whether work on a new ticket waits for an approval.
        phrases: The wording of such tickets.
    """

    id: str
    name: str
    allowed: tuple[str, ...]
    verifier_roles: tuple[str, ...]
    required_fields: tuple[str, ...] = ABOUT_A_RECORD
    needs_approval: bool = True
    phrases: Phrases | None = None

    @property
    def row(self) -> Row:
        """The kind as a row of TicketDesk."""
        return {
            "id": self.id,
            "name": self.name,
            "allowed": list(self.allowed),
            "verifier_roles": list(self.verifier_roles),
            "required_fields": list(self.required_fields),
            "needs_approval": self.needs_approval,
        }


@dataclass(frozen=True)
class FormField:
    """A field of an approval type's requests.

    Attributes:
        type: `string`, `number` or `integer`.
        synonym: Its possible new name after a schema change; None: the name stays.
        other_unit: Another unit in which it may have to be stated, and how many of it make one of DataHub's.
        required: Whether every request states it.
    """

    name: str
    type: str
    description: str
    synonym: str | None = None
    other_unit: tuple[str, float] | None = None
    required: bool = True

    @property
    def row(self) -> Row:
        """The field as a row of ApprovalFlow."""
        known = ("name", "type", "description", "required")
        return {name: getattr(self, name) for name in known}


@dataclass(frozen=True)
class Band:
    """The role that decides requests below a value; without a value, all those above the earlier bands."""

    role: str
    below: float | None = None

    @property
    def row(self) -> Row:
        """The band as a row of ApprovalFlow."""
        return {"role": self.role, "below": self.below}


@dataclass(frozen=True)
class Succession:
    """A policy that may replace the current one: its bands, and which role replaces which.

    A task's two causes must still lead to different roles, so the threshold between them does not move.
    """

    routes: tuple[Band, ...]
    successors: Mapping[str, str]


#: The attributes that an approval type shares with its row.
_PLAIN: Final = (
    "id",
    "name",
    "description",
    "ticket_kind",
    "metric_name",
    "metric_field",
    "minimum",
    "maximum",
    "route_field",
    "sod",
    "activates_record",
    "budget_field",
)


@dataclass(frozen=True)
class ApprovalType:
    """An approval type with its policy.

    Attributes:
        routes: The deciding roles, band by band.
        ticket_kind: The kind of verified ticket that it needs; None: any ticket.
        metric_name: The metric that a request is based on.
        metric_field: The field that states that metric.
        minimum: The lowest accepted value of the metric.
        maximum: The highest accepted value.
        route_field: The field that the bands apply to.
        sod: Whether people who worked on the ticket must not decide.
        activates_record: Whether an approval makes the ticket's record active.
        budget_field: The field that names the cost centre whose budget an approval spends from.
        successions: Policies that may follow; the first that covers every deciding role of a task applies.
    """

    id: str
    name: str
    description: str
    fields: tuple[FormField, ...]
    routes: tuple[Band, ...]
    ticket_kind: str | None = None
    metric_name: str | None = None
    metric_field: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    route_field: str | None = None
    sod: bool = True
    activates_record: bool = False
    budget_field: str | None = None
    successions: tuple[Succession, ...] = ()

    @property
    def roles(self) -> tuple[str, ...]:
        """The deciding roles, lowest band first."""
        return tuple(band.role for band in self.routes)

    def field(self, name: str) -> FormField | None:
        """Return the field of this name, or None."""
        return next((one for one in self.fields if one.name == name), None)

    @property
    def row(self) -> Row:
        """The type as a row of ApprovalFlow."""
        return {
            **{name: getattr(self, name) for name in _PLAIN},
            "policy_version": 1,
            "fields": [one.row for one in self.fields],
            "routes": [band.row for band in self.routes],
            "expires_s": 14 * DAY,
            "decision_s": DECISION_S,
        }


@dataclass(frozen=True)
class Office:
    """A role held by one person.

    Attributes:
        deputy: The deputy's role; None: the workplace's default.
        original: The holder's name in the original seeds.
        is_trusted: Whether the role keeps permissions that others lose.
    """

    role: str
    department: str
    deputy: str | None = None
    original: str | None = None
    is_trusted: bool = False


@dataclass(frozen=True)
class SideRequest:
    """Another person's request that may block a task's ticket.

    Attributes:
        type: Its approval type, which only a company with such a request has.
        department: The department of the approver.
        ticket_kind: The kind of the ticket it is about.
        title: That ticket's title; `{what}` stands for one of `things`.
        text: Additional text for its description.
        field: The field that it states: a number of `unit`s, from `least` to `most`.
    """

    type: ApprovalType
    department: str
    ticket_kind: str
    title: str
    things: tuple[str, ...]
    text: str
    field: str
    least: int
    most: int
    unit: float = 1.0


@dataclass(frozen=True)
class Groundwork:
    """Other people's work that may block a task's ticket.

    Attributes:
        kind: The kind of its tickets.
        jobs: Ticket titles, in which `{name}` stands for the task's record, each with the result of the work.
    """

    kind: str
    jobs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Ledger:
    """A department's ledger, which repeats a field of other records, so that their cost centres can conflict.

    Attributes:
        kind: The kind of its records.
        prefix: The prefix of their ids.
        title: Their name, in which `{name}` stands for the name of the other record.
    """

    kind: str
    prefix: str
    title: str


@dataclass(frozen=True)
class Workplace:
    """The parts of which a company has exactly one: the pool of names, and the roles for unassigned jobs.

    Attributes:
        reporter: Role and team of the reporter of a task's ticket.
        deputy: The deputy's role for offices that name none.
        worker: Role of the person who did the groundwork.
        checker: Role of the person who verified the groundwork.
        author: Role of the person who writes the comments.
        leaves: Reasons for a long absence.
        absences: Reasons for past absences.
        remarks: Colleagues' comments on tickets.
    """

    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    employers: tuple[str, ...]
    reporter: tuple[str, str]
    deputy: str
    worker: str
    checker: str
    author: str
    leaves: tuple[str, ...]
    absences: tuple[str, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Chapter:
    """A chapter of the handbook, which becomes a document; paragraphs are separated by empty lines.

    Attributes:
        superseded: The text of the previous edition, if it differed.
        draft: The text of a draft that may or may not come into force.
    """

    title: str
    text: str
    superseded: str = ""
    draft: str = ""


@dataclass(frozen=True)
class Pack:
    """A department's contribution to a company.

    Attributes:
        teams: Teams, each with the role that most of its members have.
        namesakes: Roles whose holder gets the family name of another role's holder, so that both look alike.
        record_kinds: The kinds of its records; each has a rule of precedence if there is a ledger.
        plain_record_kinds: More kinds of its records, without a rule of precedence.
        stories: Past events; one listed twice happens twice as often.
        documents: Templates for background documents.
        mails: Templates for background emails.
        common_sections: Sections that any document with editions may have in addition to its own.
        automations: Functions of (company, number) that each add a rule; with any, a company has 10 to 60.
        groundwork: Work that may block a task's ticket.
        side_requests: Requests that may block it.
        side_metrics: Company-wide metrics that may block it, each with its unit.
    """

    name: str
    ticket_kinds: tuple[TicketKind, ...] = ()
    approval_types: tuple[ApprovalType, ...] = ()
    record_kinds: tuple[str, ...] = ()
    plain_record_kinds: tuple[str, ...] = ()
    offices: tuple[Office, ...] = ()
    teams: tuple[tuple[str, str], ...] = ()
    namesakes: Mapping[str, str] = field(default_factory=dict)
    stories: tuple[Story, ...] = ()
    documents: tuple[DocumentTemplate, ...] = ()
    mails: tuple[MailTemplate, ...] = ()
    common_sections: tuple[Section, ...] = ()
    automations: tuple[Story, ...] = ()
    groundwork: Groundwork | None = None
    side_requests: tuple[SideRequest, ...] = ()
    side_metrics: tuple[tuple[str, str], ...] = ()
    ledger: Ledger | None = None
    workplace: Workplace | None = None
    chapters: tuple[Chapter, ...] = ()


def cost_centre_field(*, required: bool) -> FormField:
    """Return the field of a request that states the cost centre."""
    meaning = "The cost centre of what the ticket is about, as the verified ticket names it."
    return FormField("cost_centre", "string", meaning, required=required)


def reporter_field(*, required: bool) -> FormField:
    """Return the field of a request that states who reported its ticket."""
    meaning = "Person id of who reported the ticket, as the verified ticket names them."
    return FormField("reporter", "string", meaning, required=required)
