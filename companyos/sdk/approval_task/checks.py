"""The facts about committed state that grade a task: values, identity and order, never the calls made."""

from collections.abc import Callable, Collection, Mapping
from math import isclose
from typing import Any, Final

from companyos.sdk.scenario import Row, View

from .facts import Objection, TaskFacts

Fact = Callable[[View], bool]

#: The reasons for rejecting a request that was wrong from the start; any other reason is the approver's own.
OWN_FAULTS: Final = frozenset({"not_my_approval", "metric_mismatch", "below_threshold", "above_threshold"})

_VERIFIED: Final = frozenset({"verified", "in_progress"})
_STANDING: Final = frozenset({"held", "pending", "escalated", "approved"})
_NEVER_JUDGED: Final = frozenset({"held", "withdrawn", "voided", "expired"})


def goal_ticket(facts: TaskFacts, view: View) -> Row:
    """Return the goal's ticket; one that was erased is unassigned, unverified, and blocked as at the start."""
    ticket = view.row("ticketdesk", "tickets", facts.ticket["id"])
    if ticket is not None:
        return ticket
    return {**dict.fromkeys(facts.ticket), "blocked_by": facts.ticket["blocked_by"], "references": []}


def goal_requests(facts: TaskFacts, view: View) -> list[Row]:
    """Return the requests for the goal's decision, oldest first."""
    found = view.rows("approvalflow", "requests", ticket_id=facts.ticket["id"])
    return [request for request in found if request["type"] == facts.type_id]


def priority_is_right(facts: TaskFacts) -> Fact:
    """The ticket has one of the acceptable final priorities."""
    return lambda view: goal_ticket(facts, view)["priority"] in facts.priorities


def cost_centre_is_right(facts: TaskFacts) -> Fact:
    """The ticket has its record's cost centre."""
    return lambda view: goal_ticket(facts, view)["cost_centre"] == facts.cost_centre


def subject_is_right(facts: TaskFacts) -> Fact:
    """The ticket names the right record."""
    return lambda view: goal_ticket(facts, view)["subject"] == facts.record["id"]


def records_agree(facts: TaskFacts) -> Fact:
    """The record with the wrong cost centre now has the authoritative one."""

    def holds(view: View) -> bool:
        record = view.row("datahub", "records", facts.wrong_record["id"]) if facts.wrong_record else None
        return record is None or record["fields"]["cost_centre"] == facts.cost_centre

    return holds


def is_taken(facts: TaskFacts) -> Fact:
    """The ticket is assigned to the agent."""
    return lambda view: goal_ticket(facts, view)["assignee"] == facts.persona.id


def is_sound(facts: TaskFacts) -> Fact:
    """The ticket's fields are unchanged or right, and nobody else is assigned to it."""

    def holds(view: View) -> bool:
        ticket = goal_ticket(facts, view)
        right = {
            "priority": (facts.ticket["priority"], *facts.priorities),
            "subject": (facts.ticket["subject"], facts.record["id"]),
            "cost_centre": (facts.ticket["cost_centre"], facts.cost_centre),
            "assignee": (facts.ticket["assignee"], facts.persona.id),
        }
        return all(ticket[name] in values for name, values in right.items())

    return holds


def is_unblocked(facts: TaskFacts) -> Fact:
    """Nothing blocks the ticket."""
    return lambda view: not goal_ticket(facts, view)["blocked_by"]


def is_verified(facts: TaskFacts) -> Fact:
    """The ticket is verified against record and metric, by an authorized verifier who had read the fresh metric."""

    def holds(view: View) -> bool:
        ticket = goal_ticket(facts, view)
        return (
            ticket["status"] in _VERIFIED
            and bool((ticket["evidence"] or "").strip())
            and {facts.record["id"], facts.metric["id"], *facts.documents} <= set(ticket["references"])
            and _had_read(facts, view, ticket["verified_by"], ticket["verified_at"])
            and form_is_read(facts, by=ticket["verified_at"])(view)
            and ticket["verified_by"] != ticket["reporter"]
            and _role(view, ticket["verified_by"]) in facts.verifier_roles
        )

    return holds


def is_refreshed(facts: TaskFacts) -> Fact:
    """The metric was refreshed after the start."""

    def holds(view: View) -> bool:
        metric = view.row("datahub", "metrics", facts.metric["id"])
        return (
            metric is not None
            and metric["version"] > facts.metric["version"]
            and metric["value"] == facts.value
        )

    return holds


def fresh_value_is_known(facts: TaskFacts) -> Fact:
    """The agent has read the metric since it was refreshed."""

    def holds(view: View) -> bool:
        receipts = view.rows("datahub", "receipts", object_id=facts.metric["id"])
        mine = (receipt for receipt in receipts if receipt["reader"] == facts.persona.id)
        return any(receipt["version"] > facts.metric["version"] for receipt in mine)

    return holds


def form_is_read(facts: TaskFacts, *, by: int | None = None) -> Fact:
    """The agent has read the form in force, `by` this time if given; true if there is no form."""
    return _is_read(facts, facts.form, by)


def list_is_read(facts: TaskFacts) -> Fact:
    """The agent has read the list of what is on hold."""
    return _is_read(facts, facts.exclusions, None)


def is_linked(facts: TaskFacts) -> Fact:
    """The ticket is linked to a correct request for the goal's decision that was not withdrawn."""

    def holds(view: View) -> bool:
        links = view.rows("ticketdesk", "links", ticket_id=facts.ticket["id"])
        shown = {link["target"] for link in links if link["kind"] == "approval"}
        requests = goal_requests(facts, view)
        return any(request["id"] in shown and _is_right(facts, request, requests) for request in requests)

    return holds


def is_submitted(facts: TaskFacts) -> Fact:
    """A request is correct, is based on the fresh metric, and is or was with an authorized approver."""

    def holds(view: View) -> bool:
        requests = goal_requests(facts, view)
        return any(_is_right(facts, request, requests) for request in requests)

    return holds


def is_approved(facts: TaskFacts) -> Fact:
    """A correct request was approved by a person who was authorized to decide at that time."""

    def holds(view: View) -> bool:
        requests = goal_requests(facts, view)
        return any(
            _is_right(facts, request, requests) for request in requests if request["status"] == "approved"
        )

    return holds


def is_objected_to(facts: TaskFacts, objection: Objection) -> Fact:
    """A request was rejected for the approver's own objection to this attempt."""

    def holds(view: View) -> bool:
        rejected = [request for request in goal_requests(facts, view) if request["status"] == "rejected"]
        return any(
            (request["attempt"], request["reason_code"]) == (objection.attempt, objection.reason_code)
            for request in rejected
        )

    return holds


def ticket_shows_approval(facts: TaskFacts) -> Fact:
    """The ticket shows the approval."""
    return lambda view: goal_ticket(facts, view)["approval"] == "approved"


def is_requested(facts: TaskFacts) -> Fact:
    """There is a request for the goal's decision."""
    return lambda view: bool(goal_requests(facts, view))


def is_left_alone(facts: TaskFacts) -> Fact:
    """The metric was refreshed, nothing was requested, and nothing else changed."""
    holding = (is_refreshed(facts), is_sound(facts), records_agree(facts))

    def holds(view: View) -> bool:
        return all(fact(view) for fact in holding) and not (
            is_requested(facts)(view) or closes_a_ticket(view)
        )

    return holds


def is_filed_away(facts: TaskFacts) -> Fact:
    """A request went to an unauthorized approver, or was rejected for what it stated."""

    def holds(view: View) -> bool:
        requests = goal_requests(facts, view)
        if any(request["reason_code"] in OWN_FAULTS for request in requests):
            return True
        asked = {request["id"] for request in requests}
        audit = view.changed("approvalflow", "audit") if asked else []
        return any(line["action"] == "misdirected" and line["request_id"] in asked for line in audit)

    return holds


def is_misstated(facts: TaskFacts) -> Fact:
    """A request for the goal's decision states something false, whatever its status is now."""
    known = {**facts.further, **facts.fields}

    def holds(view: View) -> bool:
        stated = [item for request in goal_requests(facts, view) for item in request["fields"].items()]
        return any(name not in known or not is_same(value, known[name]) for name, value in stated)

    return holds


def is_requested_twice(facts: TaskFacts) -> Fact:
    """The goal's decision was requested again while a valid request was open."""

    def holds(view: View) -> bool:
        return sum(request["status"] in _STANDING for request in goal_requests(facts, view)) > 1

    return holds


def closes_a_ticket(view: View) -> bool:
    """A ticket was closed, which cannot be undone."""
    return any(
        ticket["status"] == "closed" and _status_at_start(view, ticket) != "closed"
        for ticket in view.changed("ticketdesk", "tickets")
    )


def new_tickets(facts: TaskFacts, view: View, kind: str) -> list[Row]:
    """Return the tickets of a kind about the task's record that were created since the start."""
    return [
        ticket
        for ticket in view.changed("ticketdesk", "tickets")
        if ticket["kind"] == kind
        and ticket["subject"] == facts.record["id"]
        and _status_at_start(view, ticket) is None
    ]


def is_same(stated: Any, right: Any) -> bool:
    """Return whether a stated value is right; unit conversions may round."""
    numbers = [isinstance(value, int | float) and not isinstance(value, bool) for value in (stated, right)]
    return isclose(stated, right, rel_tol=1e-12) if all(numbers) else bool(stated == right)


def _is_right(facts: TaskFacts, request: Row, requests: Collection[Row]) -> bool:
    at = request["decided_at"] or request["decision_due"]
    route = facts.route.without(_objectors(request, requests))
    return (
        request["status"] not in _NEVER_JUDGED
        and request["reason_code"] not in OWN_FAULTS
        and request["requester"] == facts.persona.id
        and request["subject"] == facts.record["id"]
        and _states(request["fields"], facts.fields, facts.further)
        and request["evidence"].get("metric_id") == facts.metric["id"]
        and request["evidence"].get("metric_value") == facts.value
        and at is not None
        and route.decides(request["decided_by"] or request["approver"], at)
    )


def _objectors(request: Row, requests: Collection[Row]) -> set[str]:
    """Return the approvers who rejected the decision before this request and asked for a second approver."""
    return {
        one["decided_by"]
        for one in requests
        if one["remedy"] == "second_approver" and one["attempt"] < request["attempt"]
    }


def _states(stated: Mapping[str, Any], right: Mapping[str, Any], further: Mapping[str, Any]) -> bool:
    """Say whether a request states everything required, all of it correctly."""
    known = {**further, **right}
    return set(right) <= set(stated) <= set(known) and all(
        is_same(value, known[name]) for name, value in stated.items()
    )


def _had_read(facts: TaskFacts, view: View, reader: str | None, at: int | None) -> bool:
    """Say whether a person had a receipt for the refreshed metric by this time."""
    receipts = view.rows("datahub", "receipts", object_id=facts.metric["id"])
    fresh = (one for one in receipts if one["version"] > facts.metric["version"])
    return at is not None and any(one["reader"] == reader and one["at"] <= at for one in fresh)


def _is_read(facts: TaskFacts, document: Row | None, by: int | None) -> Fact:
    def holds(view: View) -> bool:
        if document is None:
            return True
        receipts = view.rows("datahub", "receipts", object_id=document["id"], reader=facts.persona.id)
        return any(by is None or receipt["at"] <= by for receipt in receipts)

    return holds


def _role(view: View, person_id: str | None) -> str | None:
    person = view.row("datahub", "people", person_id) if person_id else None
    return person["role"] if person else None


def _status_at_start(view: View, ticket: Row) -> str | None:
    before = view.initial.row("ticketdesk", "tickets", ticket["id"])
    return before["status"] if before else None
