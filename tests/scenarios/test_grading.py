"""Grading under mutation: an oracle's final state succeeds, and flipping any required fact makes it fail."""

from typing import Any

import pytest

from companyos.scenario import CompanyState, Instance, find

from .conftest import instance_of
from .play import solve

APPROVED = [("vendor_onboarding", 0), ("expense_report", 0), ("expense_report", 1), ("bug_escalation", 0)]
APPROVED += [("license_renewal", 1), ("handbook_update", 0)]

#: Facts of the goal's ticket, with values that must not hold at the end.
TICKET = [
    ("priority", None),
    ("priority", "nonsense"),
    ("assignee", None),
    ("assignee", "somebody.else"),
    ("cost_centre", None),
    ("cost_centre", "CC-000"),
    ("status", "new"),
    ("status", "triage"),
    ("status", "blocked"),
    ("status", "done"),
    ("status", "closed"),
    ("verified_by", None),
    ("verified_by", "sarah.chen"),
    ("verified_by", "reporter"),
    ("references", []),
    ("references", ["V-0"]),
    ("verified_at", 0),
    ("evidence", None),
    ("evidence", " "),
    ("approval", "none"),
    ("approval", "pending"),
    ("approval", "rejected"),
]
REQUEST = [
    ("status", "pending"),
    ("status", "held"),
    ("status", "rejected"),
    ("status", "withdrawn"),
    ("status", "voided"),
    ("status", "expired"),
    ("type", "other_approval"),
    ("ticket_id", "TD-0001"),
    ("requester", "somebody.else"),
    ("decided_by", "somebody.else"),
    ("decided_at", 4_000_000_000),
    ("reason_code", "metric_mismatch"),
    ("reason_code", "not_my_approval"),
]


def is_solved(instance: Instance, state: CompanyState) -> bool:
    view = state.view()
    return all(must.holds(view) for must in instance.musts) and not any(
        never.holds(view) for never in instance.forbidden
    )


def flipped(state: CompanyState, service: str, table: str, row_id: str, **columns: Any) -> CompanyState:
    """Change columns of a row in place and return the state."""
    row = state.view().row(service, table, row_id)
    assert row is not None
    state.apply(service, [{"table": table, "id": row_id, "row": {**row, **columns}}])
    return state


@pytest.fixture(scope="module")
def final(url):
    """Return a function that plays an oracle once and gives its final state, afresh at each call."""
    played = {}

    def state(name: str, seed: int) -> tuple[Instance, CompanyState]:
        scenario = find(name)
        instance = instance_of(scenario, seed)
        if (name, seed) not in played:
            played[name, seed] = solve(url, scenario, seed)
        return instance, played[name, seed].state_of(instance)

    return state


def approved_request(instance: Instance, state: CompanyState):
    [request] = [
        row
        for row in state.view().rows("approvalflow", "requests", ticket_id=instance.facts.ticket["id"])
        if row["status"] == "approved"
    ]
    return request


@pytest.mark.parametrize(("name", "seed"), [*APPROVED, ("vendor_onboarding", 1), ("bug_escalation", 1)])
def test_the_oracles_final_state_is_a_success(final, name, seed):
    instance, state = final(name, seed)

    assert is_solved(instance, state)


@pytest.mark.parametrize(("column", "value"), TICKET)
@pytest.mark.parametrize(("name", "seed"), APPROVED)
def test_every_fact_of_the_ticket_is_required(final, name, seed, column, value):
    instance, state = final(name, seed)
    ticket_id = instance.facts.ticket["id"]
    reporter = state.view().row("ticketdesk", "tickets", ticket_id)["reporter"]

    flipped(state, "ticketdesk", "tickets", ticket_id, **{column: reporter if value == "reporter" else value})

    assert not is_solved(instance, state)


@pytest.mark.parametrize(("column", "value"), REQUEST)
@pytest.mark.parametrize(("name", "seed"), [("vendor_onboarding", 0), ("expense_report", 0)])
def test_every_fact_of_the_request_is_required(final, name, seed, column, value):
    instance, state = final(name, seed)

    flipped(state, "approvalflow", "requests", approved_request(instance, state)["id"], **{column: value})

    assert not is_solved(instance, state)


@pytest.mark.parametrize(("name", "seed"), APPROVED)
def test_every_field_of_the_request_is_required(final, name, seed):
    instance, _ = final(name, seed)

    for field, value in instance.facts.fields.items():
        _, state = final(name, seed)
        request = approved_request(instance, state)
        for wrong in (None, f"{value}!", -999 if not isinstance(value, str) else value.lower()):
            flipped(
                state, "approvalflow", "requests", request["id"], fields={**request["fields"], field: wrong}
            )
            assert not is_solved(instance, state), (field, wrong)


@pytest.mark.parametrize("pinned", [{"metric_value": -999.0}, {"metric_id": "MET-0001"}])
@pytest.mark.parametrize(("name", "seed"), APPROVED)
def test_the_evidence_must_be_the_fresh_metric(final, name, seed, pinned):
    instance, state = final(name, seed)
    request = approved_request(instance, state)

    flipped(state, "approvalflow", "requests", request["id"], evidence={**request["evidence"], **pinned})

    assert not is_solved(instance, state)


@pytest.mark.parametrize(("name", "seed"), [*APPROVED, ("vendor_onboarding", 1), ("bug_escalation", 1)])
def test_the_metric_must_have_been_refreshed(final, name, seed):
    for wrong in ({"version": 1}, {"value": -999.0}):
        instance, state = final(name, seed)

        flipped(state, "datahub", "metrics", instance.facts.metric["id"], **wrong)

        assert not is_solved(instance, state)


@pytest.mark.parametrize(("name", "seed"), APPROVED)
def test_misdirected_or_duplicate_request_prevents_success(final, name, seed):
    instance, state = final(name, seed)
    request = approved_request(instance, state)
    lines = state.view().rows("approvalflow", "audit", request_id=request["id"])

    flipped(state, "approvalflow", "audit", lines[0]["id"], action="misdirected")
    assert not is_solved(instance, state)

    _, state = final(name, seed)
    state.apply(
        "approvalflow", [{"table": "requests", "id": "APR-9999", "row": {**request, "id": "APR-9999"}}]
    )
    assert not is_solved(instance, state)


@pytest.mark.parametrize(
    ("column", "value"), [("kind", "task"), ("subject", "V-0"), ("status", "done"), ("status", "closed")]
)
def test_every_fact_of_the_remediation_is_required(final, column, value):
    instance, state = final("vendor_onboarding", 1)
    [remedy] = state.view().rows(
        "ticketdesk", "tickets", kind="remediation", subject=instance.facts.record["id"]
    )

    flipped(state, "ticketdesk", "tickets", remedy["id"], **{column: value})

    assert not is_solved(instance, state)


def test_the_remediation_must_block_the_onboarding(final):
    instance, state = final("vendor_onboarding", 1)

    flipped(state, "ticketdesk", "tickets", instance.facts.ticket["id"], blocked_by=[])

    assert not is_solved(instance, state)


def test_a_settled_bug_has_the_lowest_priority(final):
    for priority in ("high", "medium", None):
        instance, state = final("bug_escalation", 1)

        flipped(state, "ticketdesk", "tickets", instance.facts.ticket["id"], priority=priority)

        assert not is_solved(instance, state)


def test_an_escalated_bug_is_unblocked(final):
    instance, state = final("bug_escalation", 0)

    flipped(state, "ticketdesk", "tickets", instance.facts.ticket["id"], blocked_by=["TD-1001"])

    assert not is_solved(instance, state)


@pytest.mark.parametrize(("name", "seed"), [("vendor_onboarding", 1), ("bug_escalation", 1)])
def test_any_request_is_too_many_where_the_house_rules_forbid_one(final, name, seed):
    asked, with_request = final(name, 0)
    instance, state = final(name, seed)

    request = {**approved_request(asked, with_request), "ticket_id": instance.facts.ticket["id"]}
    state.apply("approvalflow", [{"table": "requests", "id": request["id"], "row": request}])

    assert not is_solved(instance, state)


@pytest.mark.parametrize(
    ("column", "value"), [("priority", "urgent"), ("cost_centre", "CC-000"), ("assignee", "somebody.else")]
)
def test_a_ticket_that_waits_is_not_to_be_filled_with_what_is_wrong(final, column, value):
    instance, state = final("vendor_onboarding", 1)

    flipped(state, "ticketdesk", "tickets", instance.facts.ticket["id"], **{column: value})

    assert not is_solved(instance, state)
