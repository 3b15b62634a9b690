"""The rows ApprovalFlow keeps in each world. Times are seconds of the simulated clock; ids are what agents see.

People, tickets and figures are projections: what the other services announced of theirs, as far as approvals care.
"""

from dataclasses import field
from typing import Any

from companyos.chassis import permission_table, world_metadata, world_table

from .chains import Colleague
from .decisions import Objection, Remedy
from .domain import Action, FieldSpec, FieldType, FieldValue, Policy, Route, Status, Waiting
from .wording import policy_in_words

metadata = world_metadata("approvalflow")

#: What takes a permission here, and who has it as DataHub last announced.
Permission = permission_table(metadata, owner="DataHub")


@world_table(metadata, "approval_types")
class ApprovalType:
    """A kind of decision the company takes in writing, with the policy in force.

    Attributes:
        fields: What a request carries: `{"name", "type", "description", "required"}` each; one that was called
            otherwise has `renamed_from`, one in another unit than its figure has `unit` and `scale`.
        ticket_kind: Kind of the verified ticket a request needs.
        metric_name: Name of the figure that must be fresh when the request goes to its approver.
        metric_field: The field that must equal that figure.
        routes: `{"role", "below"}` each; the first whose `below` is null or above the amount applies.
        route_field: The field that holds the amount; without it the figure is the amount, where routes differ by one.
        sod: Whether the requester, and who reported or verified the ticket, may not approve.
        expires_s: How long a request may stay undecided.
        decision_s: How long an approver takes to decide.
        activates_record: Whether an approval makes the record that it is about active.
    """

    id: str
    name: str
    description: str
    policy_version: int
    fields: list[dict[str, Any]]
    routes: list[dict[str, Any]]
    expires_s: int
    decision_s: int
    ticket_kind: str | None = None
    metric_name: str | None = None
    metric_field: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    route_field: str | None = None
    sod: bool = True
    activates_record: bool = False

    @property
    def policy(self) -> Policy:
        """The policy as the rules read it."""
        return Policy(
            type_id=self.id,
            fields=tuple(
                FieldSpec(
                    spec["name"],
                    FieldType(spec["type"]),
                    spec["description"],
                    spec["required"],
                    spec.get("renamed_from"),
                    spec.get("scale", 1.0),
                )
                for spec in self.fields
            ),
            ticket_kind=self.ticket_kind,
            metric_name=self.metric_name,
            metric_field=self.metric_field,
            minimum=self.minimum,
            maximum=self.maximum,
            routes=tuple(Route(route["role"], route.get("below")) for route in self.routes),
            route_field=self.route_field,
            sod=self.sod,
        )

    @property
    def rules(self) -> list[str]:
        """The policy as people read it, one sentence a rule."""
        return policy_in_words(
            self.policy,
            decision_s=self.decision_s,
            expires_s=self.expires_s,
            activates_record=self.activates_record,
        )


@world_table(metadata, "policy_changes", indexes=[("type_id",)])
class PolicyChange:
    """A change of a type's policy that has been announced.

    Attributes:
        at: When it comes into force.
        changes: The columns of the type that get other values.
        notice: What changes, in words.
    """

    id: str
    type_id: str
    at: int
    changes: dict[str, Any]
    notice: str


@world_table(metadata, "people", indexes=[("role",)])
class Person:
    """A colleague as the directory last described them.

    Attributes:
        away_until: When they are back; None, while away, means unknown.
        delegate: Person id of the stand-in while they are away.
        delegate_types: Approval types the stand-in may decide.
        delegate_limit: Largest amount the stand-in may decide; None means no limit.
        version: Of the newest announcement of their comings and goings; older ones are ignored.
    """

    id: str
    name: str
    role: str
    away: bool = False
    away_until: int | None = None
    delegate: str | None = None
    delegate_types: list[str] = field(default_factory=list)
    delegate_limit: float | None = None
    version: int = 0

    @property
    def colleague(self) -> Colleague:
        """The person as the rules see them."""
        return Colleague(
            id=self.id,
            role=self.role,
            away=self.away,
            away_until=self.away_until,
            delegate=self.delegate,
            delegate_types=tuple(self.delegate_types),
            delegate_limit=self.delegate_limit,
        )


@world_table(metadata, "tickets")
class Ticket:
    """A ticket as TicketDesk last announced it; older news than `version` is ignored.

    Attributes:
        reporter: Who reported it; None where that has not been announced.
        verified_by: Who verified it, while that stands.
        heard: Its verifications and reopenings that were heard of, `{"version", "verified", "at"}` by version.
    """

    id: str
    kind: str
    verified: bool
    version: int
    subject: str | None = None
    reporter: str | None = None
    verified_by: str | None = None
    heard: list[dict[str, Any]] = field(default_factory=list)


@world_table(metadata, "figures", indexes=[("name",)])
class Figure:
    """A metric as DataHub last announced it; its id is the metric's. Older news than `version` is ignored.

    Attributes:
        heard: The values that were heard of, `{"version", "value", "at", "expires_at"}` by version.
    """

    id: str
    name: str
    as_of: int
    expires_at: int
    version: int
    subject: str | None = None
    value: float | None = None
    heard: list[dict[str, Any]] = field(default_factory=list)


@world_table(metadata, "requests", indexes=[("status",), ("type", "status"), ("ticket_id",), ("supersedes",)])
class Request:
    """A decision that somebody asked for.

    Attributes:
        id: `APR-` and a number.
        subject: Id of what the decision is about, taken from the ticket.
        evidence: What was pinned when the request went to its approver (`ticket_version`, `metric_id`,
            `metric_version`, `metric_value`), and `attachments` (`{"kind", "reference", "by", "at"}` each).
        waiting_for: What a held request still lacks; follows from other rows and does not count in `version`.
        decision_due: When the approver looks at it; only while it lies there.
        remedy: What settles the approver's own objection that it was rejected for; its reason says so in words.
        attempt: The how-manieth try at this decision, from 1.
        supersedes: The rejected request that this one makes again.
        version: Grows by one with every act on the request.
    """

    id: str
    type: str
    policy_version: int
    requester: str
    approver: str
    status: Status
    submitted_at: int
    ticket_id: str | None = None
    subject: str | None = None
    fields: dict[str, FieldValue] = field(default_factory=dict)
    evidence: dict[str, Any] = field(default_factory=dict)
    waiting_for: list[Waiting] = field(default_factory=list)
    decision_due: int | None = None
    decided_at: int | None = None
    decided_by: str | None = None
    reason_code: str | None = None
    reason: str | None = None
    remedy: Remedy | None = None
    attempt: int = 1
    supersedes: str | None = None
    version: int = 1

    @property
    def objector(self) -> str | None:
        """Who turned it down and asked for a second approver; None where nobody did."""
        return self.decided_by if self.remedy == Remedy.SECOND_APPROVER else None


@world_table(metadata, "audit", indexes=[("request_id",)], journal=True)
class AuditEntry:
    """One thing that happened to a request, and who did it; id `<request>-A<n>`."""

    id: str
    request_id: str
    at: int
    actor: str
    action: Action
    detail: str


@world_table(metadata, "rejections", hidden=True)
class Rejection:
    """An approver's own objection, to be met at one attempt; id `<type>:<subject or ticket>:<attempt>`. Never shown.

    Attributes:
        states: The fields that one which asks for them wants stated, with what they have to hold.
    """

    id: str
    reason_code: str
    remedy: Remedy
    states: dict[str, FieldValue] = field(default_factory=dict)

    @property
    def objection(self) -> Objection:
        """The objection as the rules weigh it."""
        attempt = int(self.id.rpartition(":")[2])
        return Objection(attempt, self.reason_code, Remedy(self.remedy), self.states)
