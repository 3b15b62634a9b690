"""A request of a customer with one object of each treatment, and the rows that a clerk's acts leave."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from companyos.company import Person
from companyos.scenario import Base, Instance, Persona
from companyos.sdk.simtime import DAY
from orchestrator.grading.grader import Grader
from orchestrator.protocol.effects import RowKey, Written
from scenarios.erasure_request import grading
from scenarios.erasure_request.allowances import allowed
from scenarios.erasure_request.facts import HELD_ALL, HELD_PART, UNPROVEN, Facts, Request
from scenarios.erasure_request.files import Customer, HeldObject
from scenarios.erasure_request.pack import SPECIAL
from scenarios.erasure_request.terms import ERASE, REDACT
from tests.allowances import released

Row = dict[str, Any]
#: What a clerk writes, by what it is: the service, the table, the id, and the row or None if it is gone.
Rows = Mapping[str, tuple[str, str, str, Row | None]]

NOW = 100 * DAY
NAME, NUMBER, MAIL = "Ann Lee", "K-101", "ann.lee10@post.example"
ME = Person("cy.ito", "Cy Ito", "privacy_clerk", "Legal")
RECORD = {"id": "CUS-1", "name": NAME, "fields": {"customer_no": NUMBER, "email": MAIL}}
TICKET = {"id": "TD-1", "status": "triage", "kind": "erasure_request", "reporter": "ro.wan"}
PAPER = {"id": "DOC-8", "kind": "power_of_attorney"}
GOODWILL = {
    "id": "APR-1",
    "type": "goodwill",
    "status": "approved",
    "requester": "bo.roy",
    "fields": {"customer_no": NUMBER, "amount": 40.0},
}
MINUTES = {"id": "DOC-1", "title": "Weekly round", "body": f"{NAME} (ORD-1) was offered a replacement."}
#: What a redaction leaves of each object that is to be redacted.
REDACTED: Mapping[str, Row] = {
    "ORD-1": {
        "id": "ORD-1",
        "name": "Order ORD-1",
        "fields": {"customer_no": "[redacted]", "item": "a tent"},
    },
    "DOC-1": {**MINUTES, "body": "[redacted] (ORD-1) was offered a replacement."},
    "APR-1": {**GOODWILL, "fields": {"customer_no": "[redacted]", "amount": 40.0}},
}
METRIC: Row = {"id": "MET-1", "as_of": NOW - 9 * DAY, "value": 1.0, "version": 3}
PROCEDURE, SCHEDULE = "DOC-20", "DOC-21"

#: Every object that is held about the customer, with its treatment unless a hold covers it.
HELD = {
    HeldObject("datahub", "records", "CUS-1", "customer"): ERASE,
    HeldObject("datahub", "records", "FRM-1", "allergy_form"): ERASE,
    HeldObject("ticketdesk", "tickets", "TD-5", "customer_case", is_open=True): ERASE,
    HeldObject("datahub", "entitlements", "ENT-1", "customer_portal"): ERASE,
    HeldObject("datahub", "records", "ORD-1", "order", age_days=90): REDACT,
    HeldObject("datahub", "documents", "DOC-1", "minutes"): REDACT,
    HeldObject("approvalflow", "requests", "APR-1", "goodwill"): REDACT,
}
COVERED = "ENT-1"

#: The tables of the company, with what is about the customer and about their namesake.
ROWS: dict[str, dict[str, list[Row]]] = {
    "datahub": {
        "records": [
            RECORD,
            {"id": "FRM-1", "fields": {"email": MAIL}},
            {"id": "ORD-1", "name": "Order ORD-1", "fields": {"customer_no": NUMBER, "item": "a tent"}},
            {"id": "LH-1", "fields": {"customer_no": NUMBER}},
            {"id": "CUS-2", "name": NAME, "fields": {"customer_no": "K-102"}},
        ],
        "documents": [MINUTES, PAPER],
        "entitlements": [{"id": "ENT-1", "person_id": MAIL}],
        "messages": [{"id": "MSG-1", "sender": MAIL}],
        "metrics": [METRIC],
    },
    "ticketdesk": {"tickets": [TICKET, {"id": "TD-5", "status": "triage"}, {"id": "TD-6", "status": "new"}]},
    "approvalflow": {"requests": [GOODWILL]},
}


def facts_of(cause: str = HELD_PART, **changes: Any) -> Facts:
    """Return the facts of a request with this cause; everything not given is as in the other tests."""
    covered = {HELD_PART: {COVERED}, HELD_ALL: {one.id for one in HELD}}.get(cause, set())
    facts = Facts(
        cause=cause,
        me=ME,
        customer=Customer(RECORD, NAME, NUMBER, MAIL),
        request=Request(TICKET, {"id": "MSG-1"}, None),
        held={one.id: one for one in HELD},
        acts={one.id: mode for one, mode in HELD.items() if one.id not in covered},
        covered=frozenset(covered),
        strangers=frozenset({"CUS-2", "TD-6"}),
        hold={"id": "LH-1"},
        metric=METRIC,
        special=1,
        rules=(PROCEDURE, SCHEDULE),
        approver="di.fox",
        template="DOC-9",
    )
    return replace(facts, **changes)


def solution(facts: Facts) -> Rows:
    """Return what the right acts write, in their order."""
    mail = {"mail": _receipt(facts.request.mail["id"])}
    if facts.cause == UNPROVEN:
        asked = {"id": "TD-1-R1", "ticket_id": "TD-1", "references": sorted(facts.request.references)}
        returned = {**TICKET, "status": "returned"}
        return {
            **mail,
            "return": _written("ticketdesk", "returns", asked),
            "ticket": _written("ticketdesk", "tickets", returned),
        }
    known = {**mail, "hold": _receipt("MET-1", METRIC["version"] + 1)}
    if facts.cause == HELD_ALL:
        return known
    paper = facts.request.attorney
    papers = {"schedule": _receipt(SCHEDULE), **({"paper": _receipt(paper["id"])} if paper else {})}
    approval = {"approval": _written("approvalflow", "requests", _request(facts))} if facts.special else {}
    treated = {
        name: row for key, mode in facts.acts.items() for name, row in treatment(facts, key, mode).items()
    }
    answer = {"id": "TD-1-A1", "ticket_id": "TD-1", "documents": [facts.template]}
    return {
        **known,
        **papers,
        **approval,
        **treated,
        "answer": _written("ticketdesk", "answers", answer),
        "ticket": _written("ticketdesk", "tickets", {**TICKET, "status": "closed"}),
    }


def treatment(facts: Facts, key: str, mode: str) -> Rows:
    """Return what the erasure or the redaction of an object writes: its audit, and what is left of it."""
    one = facts.held.get(key, HeldObject("datahub", "records", key, "record"))
    audit = {"id": key, "mode": mode, "basis": "TD-1"}
    left = REDACTED.get(key, {"id": key, "text": "[redacted]"}) if mode == REDACT else None
    return {
        f"{key} audit": (one.service, "erasures", key, audit),
        key: (one.service, one.table, key, left),
    }


def changed(rows: Rows, name: str, **columns: Any) -> Rows:
    """Return the rows with other columns in one of them."""
    service, table, key, row = rows[name]
    return {**rows, name: (service, table, key, {**(row or {}), **columns})}


def without(rows: Rows, *names: str) -> Rows:
    """Return the rows but for these."""
    return {name: row for name, row in rows.items() if name not in names}


def graded(facts: Facts, rows: Rows) -> Grader:
    """Return the grader after the agent wrote these rows one by one."""
    instance = Instance(
        scenario="erasure_request",
        version=1,
        seed=0,
        rows=ROWS,
        persona=Persona(ME.id, ME.name, ME.role),
        brief="",
        cause=facts.cause,
        facts=None,
        start=NOW,
        oracle_steps=1,
        max_steps=10,
        milestones=grading.milestones(facts),
        musts=grading.musts(facts),
        forbidden=grading.forbidden(facts),
        orders=grading.orders(facts),
        allowances=allowed(facts, ROWS),
    )
    grader = Grader(instance, Base(ROWS), released().journals, released().maintained)
    for step, (name, (service, table, key, row)) in enumerate(rows.items(), start=1):
        written = [(RowKey(service, table, key), row)]
        # An approval is written by the decision, not by the clerk.
        grader.advance(step, [Written([] if name == "approval" else written, written)])
    return grader


def unmet(facts: Facts, rows: Rows) -> set[str]:
    """Return the names of the musts that these rows leave open."""
    grader = graded(facts, rows)
    return {must.name for must in grader.instance.musts if not must.holds(grader.view)}


def faults(facts: Facts, rows: Rows) -> set[str]:
    """Return what these rows violate: what is forbidden, and orders that they break."""
    grader = graded(facts, rows)
    return {*grader.harm, *(name for name, step in grader.broken_orders.items() if step is not None)}


def outside(facts: Facts, rows: Rows) -> list[tuple[str, str, str]]:
    """Return the rows among these that no allowance explains."""
    return [(key.service, key.table, key.id) for key in graded(facts, rows).collateral()]


def last(rows: Rows, names: Iterable[str]) -> Rows:
    """Return the rows in an order in which these come last."""
    moved = list(names)
    return {**without(rows, *moved), **{name: rows[name] for name in moved}}


def _request(facts: Facts) -> Row:
    fields = {"customer_no": facts.customer.number, "objects": facts.special}
    return {"id": "APR-9", "type": SPECIAL, "status": "approved", "requester": ME.id, "fields": fields}


def _receipt(object_id: str, version: int = 1) -> tuple[str, str, str, Row]:
    receipt = {"id": f"{object_id}@{version}:{ME.id}", "object_id": object_id, "version": version}
    return _written("datahub", "receipts", {**receipt, "reader": ME.id, "at": NOW})


def _written(service: str, table: str, row: Row) -> tuple[str, str, str, Row]:
    return service, table, str(row["id"]), row
