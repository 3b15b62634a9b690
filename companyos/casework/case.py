"""A case: the ticket, figure and decision that a task is about, and what its right end looks like."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from companyos.company import Person, Row, policy
from companyos.scenario import Action, Trouble, call

from .route import Route
from .setting import Figure


@dataclass(frozen=True)
class Objection:
    """What an approver holds against one attempt; `states` are the fields that it asks for, with what is right."""

    attempt: int
    reason_code: str
    remedy: str
    states: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Awaited:
    """What the last of the blocked tickets waits for in another service.

    Attributes:
        kind: `data`, a figure that is to be refreshed, or `approval`, a request that is to be decided.
        takes_s: How long that takes from the refresh, or from the start.
    """

    kind: str
    id: str
    takes_s: int


@dataclass(frozen=True)
class Case:
    """The private facts of an instance.

    Attributes:
        persona: Who the agent is.
        ticket: The goal's ticket as it is at the start.
        record: What the ticket is about.
        type_id: The approval it is to get.
        figure: The figure that decides.
        priorities: The priorities that the ticket may end with.
        cost_centre: The one it is to end with.
        verifier_roles: Roles that may verify it.
        fields: What a right request states.
        further: What it may state besides.
        route: Who decides it.
        start: The simulated second at which the episode starts.
        mark: The field by which the record is told from others of its name.
        blockers: Tickets that block the goal's, the nearest first, each blocked by the next.
        awaits: What the last of them waits for in another service, or the goal's ticket itself where there are none.
        settled_at: When the policy by which the request is decided comes into force.
        lacks: The permission that the agent's role lacks and the work needs.
        wrong_record: The record whose cost centre is to be set right: another one disagrees and counts.
        fillable: Fields of the ticket that may be empty.
        objections: What the approver holds against the first attempts.
        troubles: The faults that befell it.
    """

    persona: Person
    ticket: Row
    record: Row
    type_id: str
    figure: Figure
    priorities: tuple[str, ...]
    cost_centre: str
    verifier_roles: tuple[str, ...]
    fields: Mapping[str, Any]
    route: Route
    start: int
    mark: str
    blockers: tuple[Row, ...] = ()
    awaits: Awaited | None = None
    settled_at: int | None = None
    lacks: Row | None = None
    wrong_record: Row | None = None
    fillable: tuple[str, ...] = ("cost_centre", "priority")
    further: Mapping[str, Any] = field(default_factory=dict)
    objections: tuple[Objection, ...] = ()
    troubles: tuple[Trouble, ...] = ()

    @property
    def metric(self) -> Row:
        """The figure that decides as it is at the start: stale."""
        return self.figure.metric

    @property
    def value(self) -> float:
        """What a refresh of it brings."""
        return self.figure.value

    @property
    def is_blocked(self) -> bool:
        """Whether the ticket has to be freed of what blocks it."""
        return bool(self.blockers) or self.awaits is not None

    @property
    def refreshable(self) -> tuple[str, ...]:
        """Ids of the figures that are to be refreshed: the one that decides, and one that a ticket waits for."""
        waited_for = (self.awaits.id,) if self.awaits and self.awaits.kind == "data" else ()
        return (self.metric["id"], *waited_for)

    @property
    def empty_fields(self) -> dict[str, str]:
        """The fields of the ticket that are to be filled, each with a value that is right."""
        right = {
            "subject": self.record["id"],
            "priority": self.priorities[0],
            "cost_centre": self.cost_centre,
        }
        return {name: value for name, value in right.items() if self.ticket[name] != value}

    @property
    def called(self) -> str:
        """The record as people speak of it: by its id too, unless its ticket leaves that open."""
        name = str(self.record["name"])
        return f"{name} ({self.record['id']})" if self.ticket["subject"] else name

    @property
    def correction(self) -> dict[str, Any] | None:
        """The fields of the wrong record as they are to be."""
        wrong = self.wrong_record
        return wrong and {**wrong["fields"], "cost_centre": self.cost_centre}

    def facts(self, cause: str, request_id: str) -> dict[str, Any]:
        """Return the case as the private goal of an instance: plain data."""
        return {
            "cause": cause,
            "persona": self.persona.id,
            "ticket_id": self.ticket["id"],
            "subject": self.record["id"],
            "type_id": self.type_id,
            "metric_id": self.metric["id"],
            "stale_value": self.metric["value"],
            "fresh_value": self.value,
            "refresh_s": self.metric["refresh_s"],
            "failed_refreshes": len(self.figure.failures),
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
            "start": self.start,
            "request_id": request_id,
        }


def approving(goal: Mapping[str, Any]) -> list[Action]:
    """Return all actions that get a goal approved, told beforehand what is hidden."""
    granted = _permitted(goal, policy.VERIFY_TICKETS, policy.SUBMIT_REQUESTS)
    work = [*refreshing(goal), *preparing(goal), *requesting(goal)]
    return [*correcting(goal), *granted, *work, call("finish")]


def refreshing(goal: Mapping[str, Any]) -> list[Action]:
    """Return the actions that refresh a goal's figure, told beforehand how often it takes."""
    once = [
        call("datahub_refresh_data", metric_id=goal["metric_id"]),
        call("wait", seconds=goal["refresh_s"]),
    ]
    return [*_permitted(goal, policy.REFRESH_METRICS), *once * (int(goal["failed_refreshes"]) + 1)]


def preparing(goal: Mapping[str, Any]) -> list[Action]:
    """Return the actions that fill, take, unblock and verify a goal's ticket, told beforehand what is missing."""
    ticket_id = goal["ticket_id"]
    fill = [call("ticketdesk_update_ticket", ticket_id=ticket_id, **goal["fill"])]
    return [
        *_unblocking(ticket_id, goal["blockers"], goal["awaits"]),
        *(fill if goal["fill"] else []),
        call("ticketdesk_assign_ticket", ticket_id=ticket_id, assignee=goal["persona"]),
        call("ticketdesk_verify_ticket", ticket_id=ticket_id, evidence="Checked."),
    ]


def _permitted(goal: Mapping[str, Any], *permissions: str) -> list[Action]:
    """Return the actions that get a goal's agent what it lacks, where that is one of these permissions."""
    lacks = goal["lacks"]
    if lacks is None or lacks["id"] not in permissions:
        return []
    asked = call("datahub_request_access", permission=lacks["id"], reason="The task needs it.")
    return [asked, call("wait", seconds=lacks["grant_s"])]


def correcting(goal: Mapping[str, Any]) -> list[Action]:
    """Return the action that sets a goal's wrong record right, if there is one."""
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
    verify = call("ticketdesk_verify_ticket", ticket_id=blocker["id"], evidence="Checked.")
    end = call("ticketdesk_transition_ticket", ticket_id=blocker["id"], to="done", reason="It only waited.")
    return [
        *([verify] if blocker["verified_by"] is None else []),
        *([end] if blocker["status"] == "blocked" else []),
    ]


def requesting(goal: Mapping[str, Any]) -> list[Action]:
    """Return the actions that get a goal's request approved, told beforehand who decides and what is objected."""
    route, start = Route.of(goal["route"]), goal["start"]
    away_s = max(route.opening(start), goal["settled_at"]) - start
    decided_at = start + away_s + policy.DECISION_S
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
        *_repairs(goal["request_id"], goal["objections"], route, decided_at),
    ]


_DECISION = call("wait", seconds=policy.DECISION_S)


def _repairs(
    request_id: str, objections: Sequence[Mapping[str, Any]], route: Route, decided_at: int
) -> list[Action]:
    """Return the actions that settle objections, the first of which a request on this route met at a time."""
    actions: list[Action] = []
    first = int(request_id.removeprefix("APR-"))
    for number, objection in enumerate(objections):
        rejected = f"APR-{first + number:04d}"
        changes: dict[str, Any] = {}
        if objection["remedy"] == "add_evidence":
            actions.append(
                call("approvalflow_add_evidence", request_id=rejected, kind="document", reference="quote")
            )
        elif objection["remedy"] == "fix_field":
            changes = {"fields": objection["states"]}
        elif objection["remedy"] == "second_approver":
            asked_at = decided_at + number * policy.DECISION_S
            second = route.without([route.approver(asked_at)])
            changes = {"approver": second.approver(asked_at + policy.DECISION_S)}
        actions += [call("approvalflow_resubmit_request", request_id=rejected, **changes), _DECISION]
    return actions
