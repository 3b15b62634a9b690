"""The rows that ApprovalFlow stores in each world.

Times are seconds of the simulated clock, and ids are those that agents see. People, tickets and metrics are
projections of the other services' events, with only the columns that approvals need.
"""

from dataclasses import field
from typing import Any

from companyos.chassis import permission_table, world_metadata, world_table

from .chains import Colleague
from .decisions import Objection, Remedy
from .domain import Action, EvidenceKind, FieldSpec, FieldType, FieldValue, Policy, Route, Status, Waiting
from .wording import policy_in_words

metadata = world_metadata("approvalflow")

#: The permissions and the people and roles that have them, as last announced by DataHub.
Permission = permission_table(metadata, owner="datahub")


@world_table(metadata, "approval_types")
class ApprovalType:
    """A kind of decision that the company documents, with the policy in force.

    Attributes:
        fields: The fields of a request: `{"name", "type", "description", "required"}` each, with `renamed_from`
            after a rename, and `unit` and `scale` if its unit differs from its metric's.
        ticket_kind: Kind of the verified ticket that a request needs.
        metric_name: Name of the metric that must be fresh when the request goes to its approver.
        metric_field: The field that must equal that metric.
        routes: `{"role", "below"}` each; the first whose `below` is null or above the amount applies.
        route_field: The field that holds the amount; None means the metric, if there are several routes.
        sod: Whether the requester, and the people who reported or verified the ticket, may not approve.
        expires_s: How long a request may stay undecided.
        decision_s: How long an approver takes to decide.
        activates_record: Whether an approval activates the record that it is about.
        budget_field: The field that names the cost centre in whose budget an approval commits its amount;
            None: approvals spend nothing.
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
    budget_field: str | None = None

    @property
    def policy(self) -> Policy:
        """The policy as the rules use it."""
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
        """The policy in words, one sentence per rule."""
        return policy_in_words(
            self.policy,
            decision_s=self.decision_s,
            expires_s=self.expires_s,
            activates_record=self.activates_record,
        )


@world_table(metadata, "policy_changes", indexes=[("type_id",)])
class PolicyChange:
    """An announced change of a type's policy.

    Attributes:
        at: When it comes into force.
        changes: The type's columns with their new values.
        notice: What changes, in words.
    """

    id: str
    type_id: str
    at: int
    changes: dict[str, Any]
    notice: str


@world_table(
    metadata,
    "people",
    indexes=[("role",), ("delegate",)],
    maintained=("version", "by_hand", "delegation_version"),
)
class Person:
    """A person as last announced by DataHub.

    Attributes:
        away_until: When they return; None, while away, means unknown.
        delegate: Person id of the delegate while they are away.
        delegate_types: Approval types that the delegate may decide.
        delegate_limit: Largest amount that the delegate may decide; None means no limit.
        version: Version of the latest announcement of their absences; older ones are ignored.
        by_hand: Whether they decide in their inbox; for others, a due decision is made automatically.
        active: Whether they can decide at all; false once they lose their account or their access.
        delegation_version: Version of the latest announcement of their delegation; older ones are ignored.
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
    by_hand: bool = False
    active: bool = True
    delegation_version: int = 0

    @property
    def colleague(self) -> Colleague:
        """The person as the rules use them."""
        return Colleague(
            id=self.id,
            role=self.role,
            active=self.active,
            away=self.away,
            away_until=self.away_until,
            delegate=self.delegate,
            delegate_types=tuple(self.delegate_types),
            delegate_limit=self.delegate_limit,
        )


@world_table(metadata, "tickets")
class Ticket:
    """A ticket as last announced by TicketDesk; events older than `version` are ignored.

    Attributes:
        reporter: The person who reported it; None if not announced.
        verified_by: The person who verified it, while the verification is valid.
        announced_at: When this version was announced; None if it existed from the start.
    """

    id: str
    kind: str
    verified: bool
    version: int
    subject: str | None = None
    reporter: str | None = None
    verified_by: str | None = None
    announced_at: int | None = None


@world_table(metadata, "metrics", indexes=[("name",)])
class Metric:
    """A metric as last announced by DataHub, with the metric's id; events older than `version` are ignored.

    Attributes:
        announced_at: When this version was announced; None if it existed from the start.
    """

    id: str
    name: str
    as_of: int
    expires_at: int
    version: int
    subject: str | None = None
    value: float | None = None
    announced_at: int | None = None


@world_table(metadata, "quarantined_metrics")
class QuarantinedMetric:
    """Whether a metric is quarantined, as last announced by DataHub, with the metric's id.

    Attributes:
        number: Number of the latest announcement; older ones are ignored.
        since: When it was announced.
    """

    id: str
    number: int
    active: bool
    since: int = 0


@world_table(metadata, "announcements", indexes=[("about",)], internal=True)
class Announcement:
    """One announced version of a ticket or a metric, for events that arrive after a newer one.

    Each version has its own row, because a list in the object's row would be rewritten with every event.
    These rows are not part of the company's state, and steps do not report them.

    Attributes:
        id: The object's id and the version, so that ids sort by version.
        at: When it was announced.
        verified: For a ticket: whether this version was verified.
        value: For a metric: the value of this version, until `expires_at`.
    """

    id: str
    about: str
    version: int
    at: int
    verified: bool | None = None
    value: float | None = None
    expires_at: int | None = None

    @staticmethod
    def key(about: str, version: int) -> str:
        """Return the id of an announced version of an object."""
        return f"{about}@{version:010d}"


_SUBMISSION = ("policy_version", "requester", "submitted_at", "subject", "waiting_for", "decision_due")
_DECISION = ("decided_at", "decided_by", "remedy", "required_field", "required_evidence")


@world_table(
    metadata,
    "requests",
    indexes=[("status",), ("type", "status"), ("approver", "status"), ("ticket_id",), ("supersedes",)],
    maintained=(*_SUBMISSION, *_DECISION, "attempt", "version"),
)
class Request:
    """A request for a decision.

    Attributes:
        id: `APR-` and a number.
        subject: Id of the decision's subject, taken from the ticket.
        evidence: The evidence pinned when the request went to its approver (`ticket_version`, `metric_id`,
            `metric_version`, `metric_value`), and `attachments` (`{"kind", "reference", "by", "at"}` each).
        waiting_for: The facts that a held request lacks; derived from other rows and not counted in
            `version`.
        decision_due: When the approver looks at it, while it is pending.
        remedy: The remedy that settles its rejection, if there is one; `reason` explains it.
        required_field: The argument or field to supply or change, if any.
        required_evidence: The required attachment, if evidence settles the rejection.
        attempt: Number of the attempt at this decision, from 1.
        supersedes: The rejected request that this one resubmits.
        version: Incremented with every act on the request.
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
    required_field: str | None = None
    required_evidence: EvidenceKind | None = None
    attempt: int = 1
    supersedes: str | None = None
    version: int = 1

    @property
    def objector(self) -> str | None:
        """The approver who rejected it and asked for a second approver; None if nobody did."""
        return self.decided_by if self.remedy == Remedy.SECOND_APPROVER else None

    @property
    def attached(self) -> set[EvidenceKind]:
        """The attached objects that the request is about."""
        about = {
            EvidenceKind.RECORD: self.subject,
            EvidenceKind.METRIC: self.evidence.get("metric_id"),
            EvidenceKind.TICKET: self.ticket_id,
        }
        pairs = {(one["kind"], one["reference"]) for one in self.evidence.get("attachments", ())}
        return {kind for kind, reference in about.items() if (str(kind), reference) in pairs}


@world_table(metadata, "audit", indexes=[("request_id",)], journal=True)
class AuditEntry:
    """One act on a request, and its actor; id `<request>-A<n>`."""

    id: str
    request_id: str
    at: int
    actor: str
    action: Action
    detail: str


@world_table(metadata, "rejections", hidden=True)
class Rejection:
    """An approver's own objection at one attempt; id `<type>:<subject or ticket>:<attempt>`. Never shown.

    Attributes:
        states: The fields that it asks for, with their required values.
        evidence: The required attachment, if it asks for evidence.
    """

    id: str
    reason_code: str
    remedy: Remedy
    states: dict[str, FieldValue] = field(default_factory=dict)
    evidence: EvidenceKind | None = None

    @property
    def objection(self) -> Objection:
        """The objection as the rules use it."""
        attempt = int(self.id.rpartition(":")[2])
        evidence = EvidenceKind(self.evidence) if self.evidence else None
        return Objection(attempt, self.reason_code, Remedy(self.remedy), self.states, evidence)
