"""A desk of five requests in rows written by hand, before and after each was settled."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from companyos.scenario import CompanyState, View
from scenarios.approver_desk import grading
from scenarios.approver_desk.grading import Desk
from scenarios.approver_desk.pile import DeskRequest

ME, HEAD, SECOND, KEEPER = "ann.agent", "hanna.head", "sue.second", "kay.keeper"
BOSS, STAFF = "bea.boss", "stan.staff"
COVER, MINUTES, QUOTE = "DOC-2", "DOC-1", "DOC-3"
READ_AT, ASKED, ANSWERED, DECIDED = 100, 200, 300, 400

CASES = (
    DeskRequest("APR-1", "approved", STAFF, contends=True),
    DeskRequest("APR-2", "rejected:over_budget", STAFF, contends=True),
    DeskRequest("APR-3", f"passed_on:{SECOND}", ME),
    DeskRequest("APR-4", "rejected:evidence_missing", STAFF, asks=True),
    DeskRequest("APR-5", "approved", STAFF, asks=True),
)
LEDGER = {"id": "MET-1", "as_of": READ_AT}
DESK = Desk(ME, HEAD, BOSS, CASES, LEDGER, frozenset({"MET-1", "MET-2"}), COVER, MINUTES, ended=False)
ENDED = replace(DESK, ended=True)

Columns = dict[str, Any]


def waiting(request_id: str) -> Columns:
    undecided = {"status": "pending", "decided_by": None, "decided_at": None, "reason_code": None}
    attached = {"attachments": [{"reference": QUOTE}]} if request_id == "APR-5" else {}
    return {"id": request_id, "approver": HEAD, "evidence": attached, **undecided}


def receipt(document_id: str, *, reader: str = ME, at: int = READ_AT) -> Columns:
    return {"id": f"{document_id}@1:{reader}", "object_id": document_id, "reader": reader, "at": at}


def question(request_id: str, **columns: Any) -> Columns:
    usual = {"id": f"{request_id}-Q1", "request_id": request_id, "about": "quote", "answered_at": ANSWERED}
    return {**usual, **columns}


def approved(**columns: Any) -> Columns:
    return {"status": "approved", "decided_by": ME, "decided_at": DECIDED, **columns}


def rejected(reason_code: str, **columns: Any) -> Columns:
    return {
        "status": "rejected",
        "decided_by": ME,
        "decided_at": DECIDED,
        "reason_code": reason_code,
        **columns,
    }


def passed_on(to: str) -> Columns:
    return {"approver": to, "status": "escalated"}


RIGHT: dict[str, Columns] = {
    "APR-1": approved(),
    "APR-2": rejected("over_budget"),
    "APR-3": passed_on(SECOND),
    "APR-4": rejected("evidence_missing"),
    "APR-5": approved(),
}


def started() -> CompanyState:
    """Return the desk before anything was done; one request of it was decided long ago."""
    past = {**waiting("APR-9"), **approved(decided_by="old.head")}
    requests = [*(waiting(case.request_id) for case in CASES), past]
    return CompanyState(
        {
            "approvalflow": {"requests": requests, "questions": []},
            "datahub": {"metrics": [LEDGER, {"id": "MET-2", "as_of": READ_AT}], "receipts": []},
        }
    )


def put(state: CompanyState, service: str, table: str, row: Columns) -> None:
    state.apply(service, [{"table": table, "id": row["id"], "row": row}])


def view(changes: Mapping[str, Columns]) -> View:
    """Return the desk after these changes of requests, and nothing else."""
    state = started()
    for request_id, columns in changes.items():
        put(state, "approvalflow", "requests", {**waiting(request_id), **columns})
    return state.view()


def done(
    changes: Mapping[str, Columns] = MappingProxyType({}),
    *,
    refreshed: bool = True,
    questions: Sequence[Columns] | None = None,
    read: Sequence[Columns] | None = None,
) -> View:
    """Return the desk after everything was done right but for these changes."""
    state = started()
    for request_id, columns in {**RIGHT, **changes}.items():
        put(state, "approvalflow", "requests", {**waiting(request_id), **columns})
    for row in [question("APR-4"), question("APR-5")] if questions is None else questions:
        put(state, "approvalflow", "questions", row)
    for row in [receipt(one) for one in (COVER, MINUTES, QUOTE)] if read is None else read:
        put(state, "datahub", "receipts", row)
    if refreshed:
        put(state, "datahub", "metrics", {"id": "MET-1", "as_of": READ_AT + 1})
    return state.view()


def missed(seen: View, desk: Desk = DESK) -> set[str]:
    return {must.name for must in grading.musts(desk) if not must.holds(seen)}


def broken(seen: View, desk: Desk = DESK) -> set[str]:
    return {fact.name for fact in grading.forbidden(desk) if fact.holds(seen)}
