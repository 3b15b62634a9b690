"""Incidents of a chosen plan, and the rows that an engineer's acts leave in the services."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import pytest

from companyos.sdk.company import Company, hire_cast
from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Base, Persona
from companyos.sdk.simtime import HOUR, MINUTE
from orchestrator.grading.grader import Grader
from orchestrator.protocol.effects import RowKey, Written
from scenarios.incident_change import allowances, grading
from scenarios.incident_change.facts import RECOVERED, SCHEDULED, Facts, write
from scenarios.incident_change.pack import INCIDENT, ROLE, TEAM
from scenarios.incident_change.plans import FIRST, PLANS, Plan
from scenarios.incident_change.scenario import SCENARIO
from tests.allowances import released
from tests.scenarios.conftest import SALT
from tests.unit.orchestrator.sample_tasks import INSTANCE

Row = dict[str, Any]
#: The rows of a solution by what they are, each with its service and table.
Rows = dict[str, tuple[str, str, Row]]

#: The id that the agent's incident gets.
INCIDENT_ID = "TD-9001"
#: The orders about documents, none of which is read in these rows.
PAPERS_FIRST = ("papers_before_change", "roster_before_request")
ONCE, EXEMPT, TWICE, HOPELESS, MINOR, PROVIDER, HOPELESS_EXEMPT, _, _, TWICE_EXEMPT = PLANS
each_plan = pytest.mark.parametrize(
    "plan",
    PLANS,
    ids=[
        "once or twice",
        "exempt or frozen",
        "twice or frozen",
        "hopeless or exempt",
        "minor",
        "provider or once",
        "hopeless but exempt",
        "minor or provider",
        "once or hopeless",
        "twice but exempt",
    ],
)


class Drawn(NamedTuple):
    """An incident with its company."""

    facts: Facts
    company: Company


@cache
def drawn(plan: Plan, cause: str = FIRST, seed: int = 0) -> Drawn:
    """Return the incident of a plan in which this candidate is the cause, on some day."""
    draws = Draws(SALT, "incident", seed)
    company = Company(draws, SCENARIO.opens(draws), SCENARIO.packs, "small")
    cast = hire_cast(company, persona_role=ROLE, team=TEAM, original=False)
    return Drawn(write(draws, company, cast, plan, cause), company)


def documents(one: Drawn, title: str, status: str | None = None) -> list[Row]:
    """Return the company's documents with this beginning of a title, and this status if one is given."""
    found = [row for row in one.company.rows["datahub"]["documents"] if row["title"].startswith(title)]
    return [row for row in found if status in (None, row["status"])]


def solution(facts: Facts) -> Rows:
    """Return the rows that the right acts leave, in the order in which they are written."""
    rows: Rows = {}
    for name, member in (("rate", facts.victim), ("cause_rate", facts.root)):
        version = member.metric["version"] + 1
        fresh = {**member.metric, "as_of": facts.start + 5 * MINUTE, "version": version}
        rows[name] = ("datahub", "metrics", fresh)
        rows[f"{name}_read"] = ("datahub", "receipts", _receipt(facts, member.metric["id"], version))
    rows["incident"] = ("ticketdesk", "tickets", _incident(facts))
    if facts.agreement is not None:
        rows["agreement"] = ("datahub", "receipts", _receipt(facts, facts.agreement["id"], 1))
    if facts.ending == SCHEDULED:
        planned = {**_change(facts, facts.root.left[0], 1), **facts.ordinary_change}
        rows["change"] = ("ticketdesk", "changes", {**planned, "rolled_out_by": None, "rolled_out_at": None})
    if facts.rollouts:
        rows["request"] = ("approvalflow", "requests", _request(facts))
    for number, procedure in enumerate(facts.rollouts, start=1):
        rows[f"change{number}"] = ("ticketdesk", "changes", _change(facts, procedure, number))
        which = number if number < len(facts.rollouts) else ""
        rows[f"taken{which}"], rows[f"receipt{which}"] = _reading(facts, number)
    if facts.ending == RECOVERED:
        rows[f"change{len(facts.rollouts)}"][2].update(status="rolled_out", rolled_back_at=None)
        rows["end"] = ("ticketdesk", "tickets", {**_incident(facts), "status": "closed"})
    elif facts.agreement is None:
        rows["end"] = ("ticketdesk", "tickets", {**_incident(facts), "assignee": facts.root.owner.id})
    return rows


def changed(rows: Rows, name: str, **columns: Any) -> Rows:
    """Return the rows with other columns in one of them."""
    service, table, row = rows[name]
    return {**rows, name: (service, table, {**row, **columns})}


def without(rows: Rows, *names: str) -> Rows:
    """Return the rows but for these."""
    return {name: row for name, row in rows.items() if name not in names}


def grader_of(one: Drawn, *steps: Iterable[tuple[str, str, Row]]) -> Grader:
    """Return the grader of an incident after these steps, in each of which the agent wrote some rows."""
    facts = one.facts
    instance = replace(
        INSTANCE,
        rows=one.company.rows,
        persona=Persona(facts.me.id, facts.me.name, facts.me.role),
        start=facts.start,
        milestones=grading.milestones(facts),
        musts=tuple(grading.musts(facts)),
        forbidden=tuple(grading.forbidden(facts)),
        orders=tuple(one for one in grading.orders(facts) if one.name not in PAPERS_FIRST),
        allowances=allowances.allowed(facts, INCIDENT_ID),
    )
    grader = Grader(instance, Base(one.company.rows), released().journals, released().maintained)
    for number, step in enumerate(steps, start=1):
        written = [(RowKey(service, table, row["id"]), row) for service, table, row in step]
        grader.advance(number, [Written(written, written)])
    return grader


def graded(one: Drawn, rows: Rows) -> Grader:
    """Return the grader after these rows were written one by one."""
    return grader_of(one, *([row] for row in rows.values()))


def unmet(one: Drawn, rows: Rows) -> set[str]:
    """Return the names of the musts that these rows leave open."""
    grader = graded(one, rows)
    return {must.name for must in grader.instance.musts if not must.holds(grader.view)}


def faults(one: Drawn, rows: Rows) -> set[str]:
    """Return what these rows violate: what is forbidden, and orders that they break."""
    grader = graded(one, rows)
    return {*grader.harm, *(name for name, step in grader.broken_orders.items() if step is not None)}


def _incident(facts: Facts) -> Row:
    return {
        "id": INCIDENT_ID,
        "kind": INCIDENT,
        "reporter": facts.me.id,
        "created_at": facts.start + 10 * MINUTE,
        "subject": facts.victim.id,
        "priority": facts.priority,
        "assignee": None,
        "status": "new",
    }


def _request(facts: Facts) -> Row:
    return {
        "id": "APR-9001",
        "type": facts.approval_type,
        "requester": facts.me.id,
        "approver": facts.approver.id,
        "status": "approved",
        "decided_by": facts.approver.id,
        "fields": facts.request_fields(INCIDENT_ID),
    }


def _change(facts: Facts, procedure: str, number: int) -> Row:
    """Return a change that was rolled out some hours after the start, and rolled back half an hour later."""
    at = facts.start + number * HOUR
    return {
        "id": f"CHG-900{number}",
        "ticket_id": INCIDENT_ID,
        "system": facts.root.id,
        "procedure": procedure,
        "category": "emergency",
        "starts_at": None,
        "planned_by": facts.me.id,
        "planned_at": at - MINUTE,
        "rolled_out_by": facts.me.id,
        "rolled_out_at": at,
        "rolled_back_at": at + 30 * MINUTE,
        "status": "rolled_back",
    }


def _reading(facts: Facts, number: int) -> tuple[tuple[str, str, Row], tuple[str, str, Row]]:
    """Return the victim's rate as taken after a rollout, and the receipt of the agent's reading."""
    metric_id, version, at = facts.victim.metric["id"], 8 + number, facts.start + number * HOUR + 20 * MINUTE
    taken = {"id": f"{metric_id}@{version}", "object_id": metric_id, "version": version, "at": at}
    read = {**_receipt(facts, metric_id, version), "at": at}
    return ("datahub", "changes", taken), ("datahub", "receipts", read)


def _receipt(facts: Facts, metric_id: str, version: int) -> Row:
    receipt = {"id": f"{metric_id}@{version}:{facts.me.id}", "object_id": metric_id, "version": version}
    return {**receipt, "reader": facts.me.id, "at": facts.start + 6 * MINUTE}
