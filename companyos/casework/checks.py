"""The facts about committed state by which a case is graded: values, identity and order, never the call made."""

from collections.abc import Callable, Collection, Mapping
from math import isclose
from typing import Any, Final

from companyos.scenario import Row, View

from .case import Case, Objection

Fact = Callable[[View], bool]

#: Why approvers turn down what was wrong from the start; any other reason is their own.
OWN_FAULTS: Final = frozenset({"not_my_approval", "figure_mismatch", "below_threshold", "above_threshold"})

_VERIFIED: Final = frozenset({"verified", "in_progress"})
_STANDING: Final = frozenset({"held", "pending", "escalated", "approved"})
_NEVER_JUDGED: Final = frozenset({"held", "withdrawn", "voided", "expired"})


def goal_ticket(case: Case, view: View) -> Row:
    """Return the goal's ticket as it is now; tickets are never removed."""
    ticket = view.row("ticketdesk", "tickets", case.ticket["id"])
    if ticket is None:
        raise LookupError(f"the goal's ticket {case.ticket['id']} is gone")
    return ticket


def goal_requests(case: Case, view: View) -> list[Row]:
    """Return the requests for the goal's decision, oldest first."""
    found = view.rows("approvalflow", "requests", ticket_id=case.ticket["id"])
    return [request for request in found if request["type"] == case.type_id]


def priority_is_right(case: Case) -> Fact:
    """The ticket has one of the priorities it may end with."""
    return lambda view: goal_ticket(case, view)["priority"] in case.priorities


def cost_centre_is_right(case: Case) -> Fact:
    """The ticket names the cost centre of what it is about."""
    return lambda view: goal_ticket(case, view)["cost_centre"] == case.cost_centre


def subject_is_right(case: Case) -> Fact:
    """The ticket says which record it is about."""
    return lambda view: goal_ticket(case, view)["subject"] == case.record["id"]


def records_agree(case: Case) -> Fact:
    """The record that was wrong about the cost centre has the one that counts."""

    def holds(view: View) -> bool:
        record = view.row("datahub", "records", case.wrong_record["id"]) if case.wrong_record else None
        return record is None or record["fields"]["cost_centre"] == case.cost_centre

    return holds


def is_taken(case: Case) -> Fact:
    """The ticket is assigned to who works on it."""
    return lambda view: goal_ticket(case, view)["assignee"] == case.persona.id


def is_sound(case: Case) -> Fact:
    """The ticket's fields are as they were or as they are to be, and nobody else has it."""

    def holds(view: View) -> bool:
        ticket = goal_ticket(case, view)
        right = {
            "priority": (case.ticket["priority"], *case.priorities),
            "subject": (case.ticket["subject"], case.record["id"]),
            "cost_centre": (case.ticket["cost_centre"], case.cost_centre),
            "assignee": (case.ticket["assignee"], case.persona.id),
        }
        return all(ticket[name] in values for name, values in right.items())

    return holds


def is_unblocked(case: Case) -> Fact:
    """Nothing blocks the ticket any more."""
    return lambda view: not goal_ticket(case, view)["blocked_by"]


def is_verified(case: Case) -> Fact:
    """The ticket's facts stand verified, on evidence, by somebody who may and who did not report it."""

    def holds(view: View) -> bool:
        ticket = goal_ticket(case, view)
        return (
            ticket["status"] in _VERIFIED
            and bool((ticket["evidence"] or "").strip())
            and ticket["verified_by"] != ticket["reporter"]
            and _role(view, ticket["verified_by"]) in case.verifier_roles
        )

    return holds


def is_refreshed(case: Case) -> Fact:
    """The figure is newer than the start."""

    def holds(view: View) -> bool:
        metric = view.row("datahub", "metrics", case.metric["id"])
        return (
            metric is not None
            and metric["version"] > case.metric["version"]
            and metric["value"] == case.value
        )

    return holds


def fresh_value_is_known(case: Case) -> Fact:
    """Who works on the case has read the figure since it was refreshed."""

    def holds(view: View) -> bool:
        receipts = view.rows("datahub", "receipts", metric_id=case.metric["id"])
        mine = (receipt for receipt in receipts if receipt["reader"] == case.persona.id)
        return any(receipt["version"] > case.metric["version"] for receipt in mine)

    return holds


def is_linked(case: Case) -> Fact:
    """The ticket shows a request for the goal's decision."""

    def holds(view: View) -> bool:
        links = view.rows("ticketdesk", "links", ticket_id=case.ticket["id"])
        shown = {link["target"] for link in links if link["kind"] == "approval"}
        return any(request["id"] in shown for request in goal_requests(case, view))

    return holds


def is_submitted(case: Case) -> Fact:
    """A request says what is right, rests on the fresh figure, and lies or lay with who may decide it."""

    def holds(view: View) -> bool:
        requests = goal_requests(case, view)
        return any(_is_right(case, request, requests) for request in requests)

    return holds


def is_approved(case: Case) -> Fact:
    """Such a request was approved by who could decide it then."""

    def holds(view: View) -> bool:
        requests = goal_requests(case, view)
        return any(
            _is_right(case, request, requests) for request in requests if request["status"] == "approved"
        )

    return holds


def is_objected_to(case: Case, objection: Objection) -> Fact:
    """A request was rejected for what the approver holds against this attempt, through nobody's fault."""

    def holds(view: View) -> bool:
        rejected = [request for request in goal_requests(case, view) if request["status"] == "rejected"]
        return any(
            (request["attempt"], request["reason_code"]) == (objection.attempt, objection.reason_code)
            for request in rejected
        )

    return holds


def ticket_shows_approval(case: Case) -> Fact:
    """The ticket has heard of the approval."""
    return lambda view: goal_ticket(case, view)["approval"] == "approved"


def is_requested(case: Case) -> Fact:
    """There is a request for the goal's decision."""
    return lambda view: bool(goal_requests(case, view))


def is_left_alone(case: Case) -> Fact:
    """The figure was looked at and nobody asked, and nothing was done to the case that is not right."""
    holding = (is_refreshed(case), is_sound(case), records_agree(case))

    def holds(view: View) -> bool:
        return all(fact(view) for fact in holding) and not (is_requested(case)(view) or closes_a_ticket(view))

    return holds


def is_filed_away(case: Case) -> Fact:
    """A request went to somebody who may not decide it, or was turned down for what it said."""

    def holds(view: View) -> bool:
        requests = goal_requests(case, view)
        if any(request["reason_code"] in OWN_FAULTS for request in requests):
            return True
        asked = {request["id"] for request in requests}
        audit = view.changed("approvalflow", "audit") if asked else []
        return any(line["action"] == "misdirected" and line["request_id"] in asked for line in audit)

    return holds


def is_requested_twice(case: Case) -> Fact:
    """The goal's decision was asked for again although a request for it stood."""

    def holds(view: View) -> bool:
        return sum(request["status"] in _STANDING for request in goal_requests(case, view)) > 1

    return holds


def closes_a_ticket(view: View) -> bool:
    """A ticket was closed, which nothing undoes."""
    return any(
        ticket["status"] == "closed" and _status_at_start(view, ticket) != "closed"
        for ticket in view.changed("ticketdesk", "tickets")
    )


def new_tickets(case: Case, view: View, kind: str) -> list[Row]:
    """Return the tickets of a kind filed since the start about what the case is about."""
    return [
        ticket
        for ticket in view.changed("ticketdesk", "tickets")
        if ticket["kind"] == kind
        and ticket["subject"] == case.record["id"]
        and _status_at_start(view, ticket) is None
    ]


def may_only_change(row: Row, columns: Collection[str]) -> Callable[[Row], bool]:
    """Return what allows this row to be written as long as its other columns stay as they are."""
    kept = {name: value for name, value in row.items() if name not in columns}
    return lambda written: all(written[name] == value for name, value in kept.items())


def may_only_correct(case: Case) -> Callable[[Row], bool]:
    """Return what allows the wrong record to be given the right cost centre, and nothing else."""
    wrong = case.wrong_record or {}
    kept = {"id": wrong.get("id"), "name": wrong.get("name"), "fields": case.correction}
    return has(**kept)


def has(**columns: Any) -> Callable[[Row], bool]:
    """Return what allows rows with these values to be written."""
    return lambda written: _matches(written, columns)


def _is_right(case: Case, request: Row, requests: Collection[Row]) -> bool:
    at = request["decided_at"] or request["decision_due"]
    route = case.route.without(_objectors(request, requests))
    return (
        request["status"] not in _NEVER_JUDGED
        and request["reason_code"] not in OWN_FAULTS
        and request["requester"] == case.persona.id
        and request["subject"] == case.record["id"]
        and _states(request["fields"], case.fields, case.further)
        and request["evidence"].get("metric_id") == case.metric["id"]
        and request["evidence"].get("metric_value") == case.value
        and at is not None
        and route.decides(request["decided_by"] or request["approver"], at)
    )


def _objectors(request: Row, requests: Collection[Row]) -> set[str]:
    """Return who turned the decision down before this request and asked for a second approver."""
    return {
        one["decided_by"]
        for one in requests
        if one["remedy"] == "second_approver" and one["attempt"] < request["attempt"]
    }


def _states(stated: Mapping[str, Any], right: Mapping[str, Any], further: Mapping[str, Any]) -> bool:
    """Say whether a request states what is right, all that it has to; numbers may have gone through another unit."""
    known = {**further, **right}
    return set(right) <= set(stated) <= set(known) and all(
        _same(value, known[name]) for name, value in stated.items()
    )


def _same(stated: Any, right: Any) -> bool:
    numbers = [isinstance(value, int | float) and not isinstance(value, bool) for value in (stated, right)]
    return isclose(stated, right, rel_tol=1e-12) if all(numbers) else bool(stated == right)


def _role(view: View, person_id: str | None) -> str | None:
    person = view.row("datahub", "people", person_id) if person_id else None
    return person["role"] if person else None


def _status_at_start(view: View, ticket: Row) -> str | None:
    before = view.initial.row("ticketdesk", "tickets", ticket["id"])
    return before["status"] if before else None


def _matches(row: Row, columns: Mapping[str, Any]) -> bool:
    return all(row[name] == value for name, value in columns.items())
