"""The private facts of a task: its ticket, metric and decision, and the open-loop plans that solve it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from companyos.company import DECISION_S, REFRESH_METRICS, SUBMIT_REQUESTS, VERIFY_TICKETS, Person, Row
from companyos.scenario import Action, ExpectedRefusal, InjectedFault, call

from .route import Route


@dataclass(frozen=True)
class Measurement:
    """The metric that the decision is based on: its value at the start, and after a refresh.

    Attributes:
        failures: The refreshes that fail, counted from 0.
    """

    metric: Row
    value: float
    failures: tuple[int, ...] = ()


@dataclass(frozen=True)
class Objection:
    """An approver's objection to one attempt.

    Attributes:
        states: The fields that it asks for, with their right values.
        evidence: The kind of evidence that must be attached: `record` or `metric`.
    """

    attempt: int
    reason_code: str
    remedy: str
    states: Mapping[str, Any] = field(default_factory=dict)
    evidence: str | None = None


@dataclass(frozen=True)
class ExternalBlocker:
    """The blocker in another service, behind the last of the blocking tickets.

    Attributes:
        kind: `data`, a metric to be refreshed, or `approval`, a request to be decided.
        takes_s: How long it takes, from the refresh or from the start.
    """

    kind: str
    id: str
    takes_s: int


@dataclass(frozen=True)
class TaskFacts:
    """The private facts of an instance.

    Attributes:
        persona: The employee that the agent plays.
        ticket: The goal's ticket at the start.
        record: The record that the ticket is about.
        type_id: The approval type to request.
        measurement: The metric that the decision is based on, before and after a refresh.
        priorities: The acceptable final priorities of the ticket.
        cost_centre: The ticket's right cost centre.
        verifier_roles: Roles that may verify it.
        fields: The fields that a correct request states.
        further: The fields that it may also state.
        route: The people who may decide it.
        start: The simulated second at which the episode starts.
        mark: The field that distinguishes the record from others with the same name.
        blockers: Tickets that block the goal's, the nearest first, each blocked by the next.
        awaits: The external blocker of the last of them, or of the goal's ticket if there are none.
        settled_at: When the policy that decides the request comes into force.
        lacks: The permission that the work needs but the agent's role does not have.
        wrong_record: The record whose cost centre must be corrected, because another record takes precedence.
        fillable: Fields of the ticket that may be empty.
        objections: The approver's objections to the first attempts.
        faults: The faults that were injected.
        form: The case's form in force, if cases of its kind have one.
        exclusions: The exclusion list in force, which names the cases on hold, if there is one.
        not_offered: The faults that were drawn but not injected, because the scenario does not support them.
        metrics: Ids of all metrics about the record; the measured one is among them, unless it is about nothing.
    """

    persona: Person
    ticket: Row
    record: Row
    type_id: str
    measurement: Measurement
    priorities: tuple[str, ...]
    cost_centre: str
    verifier_roles: tuple[str, ...]
    fields: Mapping[str, Any]
    route: Route
    start: int
    mark: str
    blockers: tuple[Row, ...] = ()
    awaits: ExternalBlocker | None = None
    settled_at: int | None = None
    lacks: Row | None = None
    wrong_record: Row | None = None
    fillable: tuple[str, ...] = ("cost_centre", "priority")
    further: Mapping[str, Any] = field(default_factory=dict)
    objections: tuple[Objection, ...] = ()
    faults: tuple[InjectedFault, ...] = ()
    not_offered: tuple[str, ...] = ()
    form: Row | None = None
    exclusions: Row | None = None
    metrics: tuple[str, ...] = ()

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of the documents that a verification must name."""
        return () if self.form is None else (self.form["id"],)

    @property
    def metric(self) -> Row:
        """The metric that the decision is based on, stale as it is at the start."""
        return self.measurement.metric

    @property
    def value(self) -> float:
        """The metric's value after a refresh."""
        return self.measurement.value

    @property
    def is_blocked(self) -> bool:
        """Whether something blocks the ticket."""
        return bool(self.blockers) or self.awaits is not None

    @property
    def refreshable(self) -> tuple[str, ...]:
        """Ids of the metrics to refresh: the task's own, and one that blocks a ticket."""
        waited_for = (self.awaits.id,) if self.awaits and self.awaits.kind == "data" else ()
        return (self.metric["id"], *waited_for)

    @property
    def empty_fields(self) -> dict[str, str]:
        """The ticket's empty fields, each with a correct value."""
        right = {
            "subject": self.record["id"],
            "priority": self.priorities[0],
            "cost_centre": self.cost_centre,
        }
        return {name: value for name, value in right.items() if self.ticket[name] != value}

    @property
    def called(self) -> str:
        """The record's name as the ticket gives it, with the id unless the ticket omits it."""
        name = str(self.record["name"])
        return f"{name} ({self.record['id']})" if self.ticket["subject"] else name

    @property
    def correction(self) -> dict[str, Any] | None:
        """The right values of the wrong record's fields."""
        wrong = self.wrong_record
        return wrong and {**wrong["fields"], "cost_centre": self.cost_centre}

    def as_goal(self, request_id: str) -> dict[str, Any]:
        """Return the facts as the private goal of an instance: plain data."""
        return {
            "persona": self.persona.id,
            "ticket_id": self.ticket["id"],
            "subject": self.record["id"],
            "type_id": self.type_id,
            "metric_id": self.metric["id"],
            "stale_value": self.metric["value"],
            "fresh_value": self.value,
            "refresh_s": self.metric["refresh_s"],
            "failed_refreshes": len(self.measurement.failures),
            "fill": self.empty_fields,
            "fields": dict(self.fields),
            "route": self.route.facts,
            "objections": [asdict(one) for one in self.objections],
            "blockers": [
                {key: blocker[key] for key in ("id", "status", "verified_by")} for blocker in self.blockers
            ],
            "awaits": self.awaits and asdict(self.awaits),
            "settled_at": self.settled_at or self.start,
            "lacks": self.lacks and {key: self.lacks[key] for key in ("id", "grant_s")},
            "wrong_record": self.wrong_record and self.wrong_record["id"],
            "cost_centre": self.cost_centre,
            "documents": list(self.documents),
            "exclusions": self.exclusions and self.exclusions["id"],
            "start": self.start,
            "request_id": request_id,
        }


def approving(goal: Mapping[str, Any]) -> list[Action]:
    """Return all actions that get a goal approved, given all hidden facts."""
    granted = _permitted(goal, VERIFY_TICKETS, SUBMIT_REQUESTS)
    work = [*refreshing(goal), *preparing(goal), *requesting(goal)]
    return [*correcting(goal), *granted, *work, call("finish")]


def refreshing(goal: Mapping[str, Any]) -> list[Action]:
    """Return the actions that refresh a goal's metric, given how many refreshes fail."""
    once = [
        call("datahub_refresh_data", metric_id=goal["metric_id"]),
        call("wait", seconds=goal["refresh_s"]),
    ]
    read = call("datahub_query_metric", metric_id=goal["metric_id"])
    return [*_permitted(goal, REFRESH_METRICS), *once * (int(goal["failed_refreshes"]) + 1), read]


def _verifying(ticket_id: str, *references: str) -> Action:
    checked = {"evidence": "Checked.", "references": list(references)}
    return call("ticketdesk_verify_ticket", ticket_id=ticket_id, **checked)


def reading(goal: Mapping[str, Any]) -> list[Action]:
    """Return the actions that read the documents that a goal's verification must name."""
    return [call("datahub_get_document", document_id=one) for one in goal["documents"]]


def returning(goal: Mapping[str, Any]) -> list[Action]:
    """Return all actions that return a goal's ticket to its reporter."""
    references = [*goal["documents"], goal["subject"]]
    arguments = {"question": "Form and record differ: which is right?", "references": references}
    back = call("ticketdesk_return_ticket", ticket_id=goal["ticket_id"], **arguments)
    return [*correcting(goal), *reading(goal), back, call("finish")]


def refusing(goal: Mapping[str, Any], refusal: ExpectedRefusal) -> list[Action]:
    """Return all actions that refuse a goal which a policy forbids."""
    read = call("datahub_get_document", document_id=goal["exclusions"])
    return [*correcting(goal), read, refusal.action]


def preparing(goal: Mapping[str, Any]) -> list[Action]:
    """Return the actions that fill, take, unblock and verify a goal's ticket, given what is missing."""
    ticket_id = goal["ticket_id"]
    fill = [call("ticketdesk_update_ticket", ticket_id=ticket_id, **goal["fill"])]
    return [
        *_unblocking(ticket_id, goal["blockers"], goal["awaits"]),
        *(fill if goal["fill"] else []),
        call("ticketdesk_assign_ticket", ticket_id=ticket_id, assignee=goal["persona"]),
        *reading(goal),
        _verifying(ticket_id, goal["subject"], goal["metric_id"], *goal["documents"]),
    ]


def _permitted(goal: Mapping[str, Any], *permissions: str) -> list[Action]:
    """Return the actions that request a missing permission, if it is one of these."""
    lacks = goal["lacks"]
    if lacks is None or lacks["id"] not in permissions:
        return []
    asked = call("datahub_request_access", permission=lacks["id"], reason="The task needs it.")
    return [asked, call("wait", seconds=lacks["grant_s"])]


def correcting(goal: Mapping[str, Any]) -> list[Action]:
    """Return the action that corrects a goal's wrong record, if there is one."""
    wrong, right = goal["wrong_record"], {"cost_centre": goal["cost_centre"]}
    return [call("datahub_update_record", record_id=wrong, fields=right)] if wrong else []


def _unblocking(
    ticket_id: str, blockers: Sequence[Mapping[str, Any]], awaits: Mapping[str, Any] | None
) -> list[Action]:
    chain = [ticket_id, *(blocker["id"] for blocker in blockers)]
    actions = [*_awaiting(awaits), _resolving(chain[-1], awaits["id"])] if awaits else []
    for blocked, blocker in reversed(list(zip(chain, blockers, strict=False))):
        actions += [*_completing(blocker), _resolving(blocked, blocker["id"])]
    return actions


def _awaiting(awaits: Mapping[str, Any]) -> list[Action]:
    refresh = call("datahub_refresh_data", metric_id=awaits["id"])
    wait = call("wait", seconds=awaits["takes_s"])
    return [refresh, wait] if awaits["kind"] == "data" else [wait]


def _resolving(blocked: str, blocker: str) -> Action:
    return call("ticketdesk_resolve_blocker", ticket_id=blocked, blocker_id=blocker)


def _completing(blocker: Mapping[str, Any]) -> list[Action]:
    verify = _verifying(blocker["id"], blocker["id"])
    end = call("ticketdesk_transition_ticket", ticket_id=blocker["id"], to="done", reason="It only waited.")
    return [
        *([verify] if blocker["verified_by"] is None else []),
        *([end] if blocker["status"] == "blocked" else []),
    ]


def requesting(goal: Mapping[str, Any]) -> list[Action]:
    """Return the actions that get a goal's request approved, given the approver and the objections."""
    route, start = Route.of(goal["route"]), goal["start"]
    away_s = max(route.opening(start), goal["settled_at"]) - start
    decided_at = start + away_s + DECISION_S
    asked = call(
        "approvalflow_submit_approval",
        type=goal["type_id"],
        ticket_id=goal["ticket_id"],
        approver=route.approver(decided_at),
        fields=goal["fields"],
    )
    return [
        *([call("wait", seconds=away_s)] if away_s else []),
        asked,
        _DECISION,
        *_repairs(goal, route, decided_at),
    ]


_DECISION = call("wait", seconds=DECISION_S)


def _repairs(goal: Mapping[str, Any], route: Route, decided_at: int) -> list[Action]:
    """Return the actions that settle objections, the first of which rejected a request at `decided_at`."""
    actions: list[Action] = []
    first = int(goal["request_id"].removeprefix("APR-"))
    evidence = {"record": goal["subject"], "metric": goal["metric_id"]}
    for number, objection in enumerate(goal["objections"]):
        rejected = f"APR-{first + number:04d}"
        changes: dict[str, Any] = {}
        if objection["remedy"] == "add_evidence":
            actions.append(
                call(
                    "approvalflow_add_evidence",
                    request_id=rejected,
                    kind=objection["evidence"],
                    reference=evidence[objection["evidence"]],
                )
            )
        elif objection["remedy"] == "fix_field":
            changes = {"fields": objection["states"]}
        elif objection["remedy"] == "second_approver":
            asked_at = decided_at + number * DECISION_S
            second = route.without([route.approver(asked_at)])
            changes = {"approver": second.approver(asked_at + DECISION_S)}
        actions += [call("approvalflow_resubmit_request", request_id=rejected, **changes), _DECISION]
    return actions
