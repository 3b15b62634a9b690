"""The writes that an incident explains, column by column, and those that it does not."""

from typing import Any

import pytest

from companyos.company.allowances import COMMENTS, JOBS, LINKS, MESSAGES, RECORDS, REQUESTS, TICKETS
from scenarios.incident_change import allowances
from scenarios.incident_change.allowances import CHANGES
from scenarios.incident_change.facts import Facts
from scenarios.incident_change.plans import Plan
from tests.allowances import unexplained

from .incidents import (
    EXEMPT,
    HOPELESS,
    INCIDENT_ID,
    MINOR,
    ONCE,
    PROVIDER,
    TWICE_EXEMPT,
    Row,
    drawn,
    each_plan,
    grader_of,
    solution,
)

FACTS = drawn(ONCE).facts
OPENED = {"id": INCIDENT_ID, "kind": "incident", "status": "new", "title": "It fails"}


def outside(facts: Facts, table: Any, row: Row, before: Row | None = None) -> set[str]:
    """Return what nothing explains of a write."""
    return set(unexplained(allowances.allowed(facts, INCIDENT_ID), table, row, before=before))


def row_of(plan: Plan, name: str) -> Row:
    """Return a row of an incident's solution as the agent writes it."""
    _, _, row = solution(drawn(plan).facts)[name]
    undecided = {"status": "pending"} if name == "request" else {}
    return {**row, **undecided}


@each_plan
def test_the_right_acts_are_explained(plan: Plan) -> None:
    one = drawn(plan)
    own = [row for row in solution(one.facts).values() if row[1] in ("tickets", "changes", "requests")]
    own = [(service, table, row) for service, table, row in own if service != "datahub"]
    own = [
        (service, table, {**row, "status": "pending"} if table == "requests" else row)
        for service, table, row in own
    ]

    grader = grader_of(one, *([row] for row in own))

    assert grader.collateral() == {}


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({}, set()),
        ({"subject": "SYS-1"}, {"subject"}),
        ({"priority": "low"}, {"priority"}),
        ({"cost_centre": "CC-1"}, {"cost_centre"}),
        ({"kind": "task"}, {"kind"}),
        ({"id": "TD-9002"}, {"*"}),
    ],
)
def test_one_incident_is_opened_with_the_right_facts(columns: Row, expected: set[str]) -> None:
    right = {**OPENED, "subject": FACTS.victim.id, "priority": FACTS.priority}

    assert outside(FACTS, TICKETS, {**right, **columns}) == expected


@pytest.mark.parametrize(
    ("plan", "columns", "is_allowed"),
    [
        (ONCE, {"status": "closed", "resolution": "Well."}, True),
        (HOPELESS, {"status": "closed", "resolution": "Well."}, False),
        (ONCE, {"status": "in_progress"}, True),
        (ONCE, {"title": "It fails badly"}, True),
        (ONCE, {"assignee": drawn(ONCE).facts.root.owner.id}, False),
        (HOPELESS, {"assignee": drawn(HOPELESS).facts.root.owner.id}, True),
        (MINOR, {"assignee": drawn(MINOR).facts.root.owner.id}, True),
        (MINOR, {"assignee": drawn(MINOR).facts.me.id}, False),
        (PROVIDER, {"assignee": drawn(PROVIDER).facts.root.owner.id}, False),
        (ONCE, {"priority": "low"}, False),
        (ONCE, {"cost_centre": "CC-1"}, False),
    ],
)
def test_the_incident_ends_as_its_outcome_asks(plan: Plan, columns: Row, *, is_allowed: bool) -> None:
    assert (not outside(drawn(plan).facts, TICKETS, {**OPENED, **columns}, OPENED)) is is_allowed
    other = {**OPENED, "id": "TD-5"}
    assert outside(drawn(plan).facts, TICKETS, {**other, **columns}, other) == {*columns}


@pytest.mark.parametrize(
    ("plan", "name", "columns", "expected"),
    [
        (ONCE, "change1", {}, set()),
        (ONCE, "change1", {"ticket_id": "TD-5"}, {"ticket_id"}),
        (ONCE, "change1", {"system": "SYS-1"}, {"system"}),
        (ONCE, "change1", {"procedure": "reboot"}, {"procedure"}),
        (ONCE, "change1", {"category": "ordinary", "starts_at": 9}, {"category", "starts_at"}),
        (MINOR, "change", {}, set()),
        (MINOR, "change", {"starts_at": 9}, {"starts_at"}),
        (MINOR, "change", {"status": "rolled_out"}, {"status"}),
    ],
)
def test_a_change_is_the_right_one_in_every_column(
    plan: Plan, name: str, columns: Row, expected: set[str]
) -> None:
    assert outside(drawn(plan).facts, CHANGES, {**row_of(plan, name), **columns}) == expected


def test_a_planned_change_is_not_replaced_by_another_one() -> None:
    facts, planned = drawn(TWICE_EXEMPT).facts, row_of(TWICE_EXEMPT, "change1")
    other = {**planned, "procedure": facts.rollouts[1]}

    grader = grader_of(
        drawn(TWICE_EXEMPT), [("ticketdesk", "changes", planned)], [("ticketdesk", "changes", other)]
    )

    assert list(grader.collateral().values()) == [{"procedure"}]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({}, set()),
        ({"approver": "zoe.stranger"}, {"approver"}),
        ({"type": "goodwill"}, {"type"}),
        ({"ticket_id": INCIDENT_ID}, {"ticket_id"}),
        ({"fields": {"incident": "TD-5"}}, {"fields"}),
        ({"evidence": {"attachments": [{"reference": "DOC-9999"}]}}, {"evidence"}),
        ({"status": "withdrawn"}, {"status"}),
    ],
)
@pytest.mark.parametrize("plan", [ONCE, EXEMPT], ids=["emergency", "exception"])
def test_the_right_person_is_asked_for_the_right_thing(plan: Plan, columns: Row, expected: set[str]) -> None:
    facts = drawn(plan).facts

    assert outside(facts, REQUESTS, {**row_of(plan, "request"), **columns}) == expected


@pytest.mark.parametrize("plan", [MINOR, PROVIDER], ids=["scheduled", "run by a provider"])
def test_without_a_rollout_no_approval_is_asked_for(plan: Plan) -> None:
    assert outside(drawn(plan).facts, REQUESTS, row_of(ONCE, "request"))


@pytest.mark.parametrize(
    ("table", "row", "is_allowed"),
    [
        (COMMENTS, {"ticket_id": INCIDENT_ID, "body": "On it."}, True),
        (COMMENTS, {"ticket_id": "TD-5", "body": "On it."}, False),
        (MESSAGES, {"recipient": FACTS.reporter.id, "about": INCIDENT_ID, "body": "On it."}, True),
        (MESSAGES, {"recipient": FACTS.root.owner.id, "about": FACTS.root.id, "body": "Look."}, True),
        (MESSAGES, {"recipient": FACTS.reporter.id, "about": "TD-5", "body": "On it."}, False),
        (MESSAGES, {"recipient": "zoe.stranger", "about": INCIDENT_ID, "body": "On it."}, False),
        (LINKS, {"ticket_id": INCIDENT_ID, "kind": "relates", "target": FACTS.root.id}, True),
        (LINKS, {"ticket_id": INCIDENT_ID, "kind": "blocks", "target": "TD-5"}, False),
        (JOBS, {"metric_id": FACTS.estate.decoy.metric["id"]}, True),
        (JOBS, {"metric_id": "MET-9999"}, False),
    ],
)
def test_a_new_row_is_allowed_if_the_incident_calls_for_it(table: Any, row: Row, *, is_allowed: bool) -> None:
    assert (not outside(FACTS, table, {"id": "NEW-1", **row})) is is_allowed


def test_records_stay_as_they_are() -> None:
    record = FACTS.root.record

    assert outside(FACTS, RECORDS, {**record, "status": "inactive"}, dict(record)) == {"status"}
