"""The writes that an incident explains, column by column, and those that it does not."""

from typing import Any

import pytest

from companyos.sdk.company.allowances import COMMENTS, JOBS, LINKS, MESSAGES, RECORDS, REQUESTS, TICKETS
from scenarios.incident_change import allowances
from scenarios.incident_change.allowances import CHANGES
from scenarios.incident_change.facts import RECOVERED
from scenarios.incident_change.plans import Plan
from scenarios.incident_change.scenario import SCENARIO
from tests.allowances import unexplained
from tests.scenarios.conftest import instance_of
from tests.scenarios.play import solve

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
NEW = {**OPENED, "subject": FACTS.victim.id, "priority": FACTS.priority}


def outside(plan: Plan, table: Any, row: Row, before: Row | None = None) -> set[str]:
    """Return what nothing explains of a write."""
    return set(unexplained(allowances.allowed(drawn(plan).facts, INCIDENT_ID), table, row, before=before))


def row_of(plan: Plan, name: str) -> Row:
    """Return a row of an incident's solution as the agent writes it."""
    _, _, row = solution(drawn(plan).facts)[name]
    return {**row, "status": "pending"} if name == "request" else row


CHANGE, LATER, REQUEST = row_of(ONCE, "change1"), row_of(MINOR, "change"), row_of(ONCE, "request")


@each_plan
def test_the_right_acts_are_explained(plan: Plan) -> None:
    one = drawn(plan)
    own = [(name, row) for name, row in solution(one.facts).items() if row[0] != "datahub"]

    grader = grader_of(one, *([(row[0], row[1], row_of(plan, name))] for name, row in own))

    assert grader.collateral() == {}


@pytest.mark.parametrize(
    ("plan", "table", "right", "columns", "expected"),
    [
        (ONCE, TICKETS, NEW, {}, set()),
        (ONCE, TICKETS, NEW, {"subject": "SYS-1"}, {"subject"}),
        (ONCE, TICKETS, NEW, {"priority": "low"}, {"priority"}),
        (ONCE, TICKETS, NEW, {"cost_centre": "CC-1"}, {"cost_centre"}),
        (ONCE, TICKETS, NEW, {"kind": "task"}, {"kind"}),
        (ONCE, TICKETS, NEW, {"id": "TD-9002"}, {"*"}),
        (ONCE, CHANGES, CHANGE, {}, set()),
        (ONCE, CHANGES, CHANGE, {"ticket_id": "TD-5"}, {"ticket_id"}),
        (ONCE, CHANGES, CHANGE, {"system": "SYS-1"}, {"system"}),
        (ONCE, CHANGES, CHANGE, {"procedure": "reboot"}, {"procedure"}),
        (ONCE, CHANGES, CHANGE, {"category": "ordinary", "starts_at": 9}, {"category", "starts_at"}),
        (MINOR, CHANGES, LATER, {}, set()),
        (MINOR, CHANGES, LATER, {"starts_at": 9}, {"starts_at"}),
        (MINOR, CHANGES, LATER, {"status": "rolled_out"}, {"status"}),
        (ONCE, REQUESTS, REQUEST, {}, set()),
        (EXEMPT, REQUESTS, row_of(EXEMPT, "request"), {}, set()),
        (ONCE, REQUESTS, REQUEST, {"approver": "zoe.stranger"}, {"approver"}),
        (ONCE, REQUESTS, REQUEST, {"type": "goodwill"}, {"type"}),
        (ONCE, REQUESTS, REQUEST, {"ticket_id": INCIDENT_ID}, {"ticket_id"}),
        (ONCE, REQUESTS, REQUEST, {"fields": {"incident": "TD-5"}}, {"fields"}),
        (ONCE, REQUESTS, REQUEST, {"evidence": {"attachments": [{"reference": "DOC-9999"}]}}, {"evidence"}),
        (ONCE, REQUESTS, REQUEST, {"status": "withdrawn"}, {"status"}),
    ],
)
def test_a_new_row_is_the_right_one_in_every_column(
    plan: Plan, table: Any, right: Row, columns: Row, expected: set[str]
) -> None:
    assert outside(plan, table, {**right, **columns}) == expected


@pytest.mark.parametrize("plan", [MINOR, PROVIDER], ids=["scheduled", "run by a provider"])
def test_without_a_rollout_no_approval_is_asked_for(plan: Plan) -> None:
    assert outside(plan, REQUESTS, REQUEST)


@pytest.mark.parametrize(
    ("plan", "columns", "is_allowed"),
    [
        (ONCE, {"status": "closed", "resolution": "Well."}, True),
        (HOPELESS, {"status": "closed", "resolution": "Well."}, False),
        (ONCE, {"status": "in_progress"}, True),
        (ONCE, {"title": "It fails badly"}, True),
        (ONCE, {"assignee": FACTS.root.owner.id}, False),
        (HOPELESS, {"assignee": drawn(HOPELESS).facts.root.owner.id}, True),
        (MINOR, {"assignee": drawn(MINOR).facts.root.owner.id}, True),
        (MINOR, {"assignee": drawn(MINOR).facts.me.id}, False),
        (PROVIDER, {"assignee": drawn(PROVIDER).facts.root.owner.id}, False),
        (ONCE, {"priority": "low"}, False),
    ],
)
def test_the_incident_ends_as_its_outcome_asks(plan: Plan, columns: Row, *, is_allowed: bool) -> None:
    other = {**OPENED, "id": "TD-5"}

    assert (not outside(plan, TICKETS, {**OPENED, **columns}, OPENED)) is is_allowed
    assert outside(plan, TICKETS, {**other, **columns}, other) == {*columns}


def test_a_planned_change_is_not_replaced_by_another_one() -> None:
    planned = row_of(TWICE_EXEMPT, "change1")
    other = {**planned, "procedure": drawn(TWICE_EXEMPT).facts.rollouts[1]}
    steps = ([("ticketdesk", "changes", row)] for row in (planned, other))

    assert list(grader_of(drawn(TWICE_EXEMPT), *steps).collateral().values()) == [{"procedure"}]


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
def test_correspondence_and_runs_are_allowed_if_they_are_about_the_incident(
    table: Any, row: Row, *, is_allowed: bool
) -> None:
    assert (not outside(ONCE, table, {"id": "NEW-1", **row})) is is_allowed
    record = dict(FACTS.root.record)
    assert outside(ONCE, RECORDS, {**record, "status": "inactive"}, record) == {"status"}


@pytest.mark.parametrize("fault", ["evt.drop", "evt.poison"])
def test_a_change_of_which_nothing_is_known_yet_is_told_from_one_that_does_not_help(
    url: str, fault: str
) -> None:
    seed = next(seed for seed in range(40) if instance_of(SCENARIO, seed).facts.ending == RECOVERED)
    chaos = {"faults": {fault: {"p": 1, "match": {"event": ["change.rolled_out"]}}}}

    episode = solve(url, SCENARIO, seed, chaos=chaos)

    assert episode.success
    assert "datahub_replay_events" in {one["action"]["tool_name"] for one in episode.trace[1:]}
