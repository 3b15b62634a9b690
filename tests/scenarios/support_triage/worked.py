"""A queue of six tickets in rows written by hand, one of each sort, before and after each was worked."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from companyos.scenario import CompanyState, View
from scenarios.support_triage import grading
from scenarios.support_triage.cases import CHANGED, Intervention, SupportCase

ARRIVED, DUE = 1000, 5000
ACCOUNT = {"id": "ACC-1", "fields": {"tier": "plus", "served_by": "SVC-1"}}
METRICS = [{"id": "MET-1", "version": 1}, {"id": "MET-2", "version": 2}]
#: The edition of the customer's contract that applies.
CONTRACT = "DOC-7"

Row = dict[str, Any]


def wanted(ticket_id: str, sort: str, **right: Any) -> SupportCase:
    return SupportCase(
        ticket_id, sort, None, ACCOUNT, "THG-5000", ARRIVED, "plus", contract=CONTRACT, **right
    )


QUESTION = wanted("TD-1", "question", queue="billing", priority="low", document="DOC-1", due=DUE)
INCIDENT = wanted(
    "TD-2",
    "failure",
    queue="platform",
    priority="urgent",
    document="DOC-2",
    relates="TD-801",
    assignee="call.platform",
    due=DUE,
)
FIXED = wanted("TD-3", "fixed", document="DOC-3", due=DUE)
OPEN = wanted("TD-4", "defect", queue="engineering", priority="medium", document="DOC-4", due=DUE)
VAGUE = wanted("TD-5", "vague")
DUPLICATE = wanted("TD-6", "duplicate", into="TD-1")
CASES = (QUESTION, INCIDENT, FIXED, OPEN, VAGUE, DUPLICATE)


def with_intervention(case: SupportCase, kind: str, *, at: int) -> SupportCase:
    """Return a case about which somebody else does something; who changes their mind was to get DOC-0."""
    return replace(
        case, intervention=Intervention(kind, at), first_document="DOC-0" if kind == CHANGED else None
    )


#: The agent, and a colleague.
AGENT, COLLEAGUE = "sam.agent", "mia.colleague"
#: A ticket of somebody else.
FOREIGN = "TD-900"


def ticket(ticket_id: str, **columns: Any) -> Row:
    usual = {"kind": "question", "status": "new", "priority": None, "assignee": None, "version": 1}
    return {"id": ticket_id, **usual, **columns}


def placement(ticket_id: str, queue: str = "intake") -> Row:
    return {"id": ticket_id, "queue": queue}


def answer(ticket_id: str, *documents: str, at: int = DUE, number: int = 1) -> Row:
    return {
        "id": f"{ticket_id}-A{number}",
        "ticket_id": ticket_id,
        "documents": list(documents),
        "answered_at": at,
    }


def link(ticket_id: str, target: str, kind: str = "relates", number: int = 1) -> Row:
    return {"id": f"{ticket_id}-L{number}", "ticket_id": ticket_id, "kind": kind, "target": target}


def line(ticket_id: str, action: str, actor: str = AGENT, *, at: int = ARRIVED + 60, number: int = 1) -> Row:
    return {
        "id": f"{ticket_id}-H{number}",
        "ticket_id": ticket_id,
        "action": action,
        "actor": actor,
        "at": at,
    }


def receipt(object_id: str, version: int = 1, *, reader: str = AGENT) -> Row:
    """Return the receipt of a version of a metric or document that was read."""
    return {
        "id": f"{object_id}@{version}:{reader}",
        "object_id": object_id,
        "version": version,
        "reader": reader,
    }


#: The receipts of what has to be read.
READ = [receipt("MET-1", 2), receipt("MET-2", 3), receipt(CONTRACT)]
#: Everything that is right, by table and id.
RIGHT: dict[str, list[Row]] = {
    "tickets": [
        ticket("TD-1", priority="low", version=3),
        ticket("TD-2", priority="urgent", assignee="call.platform", version=4),
        ticket("TD-3", status="closed", version=2),
        ticket("TD-4", priority="medium", version=2),
        ticket("TD-5", status="returned", version=2),
        ticket("TD-6", status="closed", version=2),
    ],
    "placements": [
        placement("TD-1", "billing"),
        placement("TD-2", "platform"),
        placement("TD-4", "engineering"),
    ],
    "answers": [answer(f"TD-{number}", f"DOC-{number}") for number in range(1, 5)],
    "links": [link("TD-2", "TD-801")],
    "merges": [{"id": "TD-6", "into": "TD-1"}],
    "history": [line("TD-6", "merged"), line("TD-3", "closed")],
}


def started() -> CompanyState:
    """Return the desk before anything was done."""
    ids = [*(case.ticket_id for case in CASES), FOREIGN]
    return CompanyState(
        {
            "ticketdesk": {
                "tickets": [
                    *(ticket(one) for one in ids),
                    *(ticket(one, kind="incident") for one in ("TD-801", "TD-802")),
                ],
                "placements": [placement(one) for one in ids],
                # An index over a table without rows has no columns, so each has a row of somebody else.
                "answers": [answer(FOREIGN)],
                "links": [link(FOREIGN, "TD-801")],
                "merges": [],
                "returns": [{"id": "R0", "ticket_id": FOREIGN}],
                "comments": [{"id": "C0", "ticket_id": FOREIGN}],
                "history": [],
            },
            "datahub": {
                "receipts": [receipt("DOC-1", reader=COLLEAGUE)],
                "messages": [{"id": "MSG-0", "about": FOREIGN}],
            },
        }
    )


def put(
    state: CompanyState, service: str, table: str, rows: Iterable[Row | None], *, row_id: str = ""
) -> None:
    changes = [{"table": table, "id": row["id"] if row else row_id, "row": row} for row in rows]
    state.apply(service, changes)


def done(changes: Mapping[str, list[Row]] = MappingProxyType({}), *, without: tuple[str, ...] = ()) -> View:
    """Return the desk after everything was done right but for changed rows, and for rows left out by id."""
    state = started()
    for table, rows in RIGHT.items():
        kept = {row["id"]: row for row in rows if row["id"] not in without}
        put(
            state,
            "ticketdesk",
            table,
            {**kept, **{row["id"]: row for row in changes.get(table, [])}}.values(),
        )
    for table in changes.keys() - RIGHT.keys():
        put(state, "ticketdesk", table, changes[table])
    put(state, "datahub", "receipts", READ)
    return state.view()


def missed(seen: View) -> set[str]:
    musts = grading.musts(CASES, METRICS, AGENT, feasible=True)
    return {must.name for must in musts if not must.holds(seen)}


def broken(seen: View, *, feasible: bool = True) -> set[str]:
    return {fact.name for fact in grading.forbidden(CASES, AGENT, feasible=feasible) if fact.holds(seen)}
