"""A case: the ticket, figure and decision that a task is about, and what its right end looks like."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from companyos.company import Person, Row, policy
from companyos.scenario import Action, Trouble, call

from .route import Route
from .setting import Figure


@dataclass(frozen=True)
class Objection:
    """What an approver holds against one attempt."""

    attempt: int
    reason_code: str
    remedy: str


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
        route: Who decides it.
        start: The simulated second at which the episode starts.
        blockers: Tickets that block the goal's, the nearest first, each blocked by the next: done, and to be verified.
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
    blockers: tuple[Row, ...] = ()
    fillable: tuple[str, ...] = ("cost_centre", "priority")
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
    def empty_fields(self) -> dict[str, str]:
        """The fields of the ticket that are to be filled, each with a value that is right."""
        right = {"priority": self.priorities[0], "cost_centre": self.cost_centre}
        return {name: value for name, value in right.items() if self.ticket[name] != value}

    def facts(self, cause: str, request_id: str) -> dict[str, Any]:
        """Return the case as the private goal of an instance: plain data."""
        return {
            "cause": cause,
            "persona": self.persona.id,
            "ticket_id": self.ticket["id"],
            "subject": self.ticket["subject"],
            "type_id": self.type_id,
            "metric_id": self.metric["id"],
            "stale_value": self.metric["value"],
            "fresh_value": self.value,
            "refresh_s": self.metric["refresh_s"],
            "failed_refreshes": len(self.figure.failures),
            "fill": self.empty_fields,
            "fields": dict(self.fields),
            "route": asdict(self.route),
            "objections": [asdict(one) for one in self.objections],
            "blockers": [blocker["id"] for blocker in self.blockers],
            "start": self.start,
            "request_id": request_id,
        }


def refreshing(goal: Mapping[str, Any]) -> list[Action]:
    """Return the actions that refresh a goal's figure, told beforehand how often it takes."""
    once = [
        call("datahub_refresh_data", metric_id=goal["metric_id"]),
        call("wait", seconds=goal["refresh_s"]),
    ]
    return once * (int(goal["failed_refreshes"]) + 1)


def preparing(goal: Mapping[str, Any]) -> list[Action]:
    """Return the actions that fill, take, unblock and verify a goal's ticket, told beforehand what is missing."""
    ticket_id = goal["ticket_id"]
    fill = [call("ticketdesk_update_ticket", ticket_id=ticket_id, **goal["fill"])]
    return [
        *_unblocking(ticket_id, goal["blockers"]),
        *(fill if goal["fill"] else []),
        call("ticketdesk_assign_ticket", ticket_id=ticket_id, assignee=goal["persona"]),
        call("ticketdesk_verify_ticket", ticket_id=ticket_id, evidence="Checked."),
    ]


def _unblocking(ticket_id: str, blockers: Sequence[str]) -> list[Action]:
    actions: list[Action] = []
    for blocked, blocker in reversed(list(pairwise([ticket_id, *blockers]))):
        actions += [
            call("ticketdesk_verify_ticket", ticket_id=blocker, evidence="Checked."),
            call("ticketdesk_resolve_blocker", ticket_id=blocked, blocker_id=blocker),
        ]
    return actions


def requesting(goal: Mapping[str, Any]) -> list[Action]:
    """Return the actions that get a goal's request approved, told beforehand who decides and what is objected."""
    route = Route(**goal["route"])
    here = route.approver(goal["start"] + policy.DECISION_S) == route.holder
    away_s = max(0, route.back_at - goal["start"]) if here else 0
    asked = call(
        "approvalflow_submit_approval",
        type=goal["type_id"],
        ticket_id=goal["ticket_id"],
        approver=route.holder if here else route.delegate,
        fields=goal["fields"],
    )
    wait = call("wait", seconds=policy.DECISION_S)
    return [
        *([call("wait", seconds=away_s)] if away_s else []),
        asked,
        wait,
        *_repairs(goal["request_id"], goal["objections"], wait),
    ]


def _repairs(request_id: str, objections: Sequence[Mapping[str, Any]], wait: Action) -> list[Action]:
    actions: list[Action] = []
    first = int(request_id.removeprefix("APR-"))
    for number, objection in enumerate(objections):
        rejected = f"APR-{first + number:04d}"
        if objection["remedy"] == "add_evidence":
            actions.append(
                call("approvalflow_add_evidence", request_id=rejected, kind="document", reference="quote")
            )
        actions += [call("approvalflow_resubmit_request", request_id=rejected), wait]
    return actions
