"""A close made by hand: four lines and a rate, three figures to refresh, and the rows of every way it may go."""

from dataclasses import replace
from typing import Any

from companyos.company import Person
from companyos.scenario import CompanyState
from scenarios.quarter_close import grading
from scenarios.quarter_close.books import Books, Feed, Line
from scenarios.quarter_close.facts import Facts
from scenarios.quarter_close.papers import Rules
from scenarios.quarter_close.plan import MEMO, NEVER, OLD_MEMO, PART, SILENT, Variance

Row = dict[str, Any]

ME = Person("ann.books", "Ann Books", "accountant", "Finance")
OWNER = Person("olga.owner", "Olga Owner", "group_accountant", "Group accounting")
PERIOD, PRIOR, TICKET, MANUAL = "PER-1", "PER-0", "TD-1", "DOC-1"
ALPHA, BETA, GAMMA, DELTA, RATE = "MET-0001", "MET-0002", "MET-0003", "MET-0004", "MET-0005"
METRICS = {"alpha": ALPHA, "beta": BETA, "gamma": GAMMA, "delta": DELTA, "rate": RATE}
START, TAKEN = 1000, 2000


def _line(name: str, final: float, variance: float, *parents: str, shown: float | None = None) -> Line:
    return Line(name, "balance", parents, final, final if shown is None else shown, variance, 0)


LINES = (
    _line("alpha", 1000.0, 40.0, shown=900.0),
    _line("beta", 2000.0, 90.0, "alpha", "rate", shown=1900.0),
    _line("gamma", 500.0, -20.0),
    _line("delta", 700.0, 15.0),
)
#: Alpha is explained in part, beta by nobody, gamma by the memo; a colleague has filed delta.
VARIANCES = {
    "alpha": Variance(PART, 0.0, 0.0, 20.0, 20.0),
    "beta": Variance(SILENT, 0.0, 0.0, 0.0, 90.0),
    "gamma": Variance(MEMO, 18.0, 0.0, 0.0, 2.0),
    "delta": Variance(OLD_MEMO, 5.0, 14.0, 0.0, 10.0),
}
FACTS = Facts(
    cause="edge:alpha before beta",
    me=ME,
    ticket={"id": TICKET, "reporter": "rita.reporter"},
    manual={"id": MANUAL},
    rules=Rules(runs=3, high=2.5, source="close_11", prior="close_22"),
    books=Books(
        {"id": "LE-1"},
        {"id": PERIOD},
        {name: {"id": one} for name, one in METRICS.items()},
        {line.name: OWNER for line in LINES},
    ),
    prior={"id": PRIOR, "status": "locked"},
    lines=LINES,
    feeds=(Feed("rate", "USD", 1.1, 1.2, 0),),
    parents={"alpha": (), "beta": ("alpha", "rate"), "gamma": (), "delta": ()},
    needed=("alpha", "rate", "beta"),
    failures={},
    down=None,
    variances=VARIANCES,
    filed=frozenset({"delta"}),
    approver="cora.controller",
)
DOWN = replace(FACTS, down="alpha", failures={"alpha": NEVER})
REOPENED = replace(FACTS, prior={"id": PRIOR, "status": "reopened"})

#: The lines that the memo leaves open.
ASKED = (ALPHA, BETA, DELTA)

SHOWN = {ALPHA: 900.0, BETA: 1900.0, GAMMA: 500.0, DELTA: 700.0, RATE: 1.2}
FINAL = {ALPHA: 1000.0, BETA: 2000.0, GAMMA: 500.0, DELTA: 700.0, RATE: 1.1}
FIELDS = {"period": PERIOD, "variances": 3, "unexplained": 120.0, "manual": MANUAL}


def metric(metric_id: str, *, value: float, as_of: int) -> Row:
    return {"id": metric_id, "value": value, "as_of": as_of}


def period(period_id: str = PERIOD, status: str = "open") -> Row:
    return {"id": period_id, "status": status}


def line(metric_id: str, locked_value: float | None = None, period_id: str = PERIOD) -> Row:
    return {
        "id": f"{period_id}:{metric_id}",
        "period_id": period_id,
        "metric_id": metric_id,
        "locked_value": locked_value,
    }


def ticket(subject: str, number: int = 11, **columns: Any) -> Row:
    """Return a variance ticket that the agent filed."""
    usual = {"kind": "variance", "subject": subject, "status": "new", "priority": "medium"}
    return {"id": f"TD-{number}", **usual, **columns}


def request(status: str = "approved", number: int = 1, **fields: Any) -> Row:
    """Return a request for the approval of the close."""
    return {
        "id": f"APR-{number}",
        "type": "close_approval",
        "status": status,
        "fields": {**FIELDS, **fields},
    }


def opening() -> CompanyState:
    """Return the company as it was at the start, with the ticket of a colleague about delta."""
    ages = {ALPHA: 100, BETA: 400, GAMMA: 600, DELTA: 700, RATE: 100}
    datahub = {
        "metrics": [metric(one, value=value, as_of=ages[one]) for one, value in SHOWN.items()],
        "periods": [period(), period(PRIOR, "locked"), period("PER-2")],
        "period_lines": [line(one) for one in (ALPHA, BETA, GAMMA, DELTA)],
        "jobs": [],
        "changes": [],
    }
    return CompanyState({"datahub": datahub, "ticketdesk": {"tickets": [ticket(DELTA, 5)]}})


def write(state: CompanyState, service: str, table: str, *rows: Row) -> CompanyState:
    """Write rows and return the state."""
    state.apply(service, [{"table": table, "id": one["id"], "row": one} for one in rows])
    return state


def refreshed(state: CompanyState, metric_id: str, at: int, value: float | None = None) -> CompanyState:
    """Refresh a metric at a time, by default to its final value."""
    new = FINAL[metric_id] if value is None else value
    write(state, "datahub", "metrics", metric(metric_id, value=new, as_of=at))
    change = {"id": f"{metric_id}@{at}", "object_id": metric_id, "at": at}
    return write(state, "datahub", "changes", change)


def letter(number: int, sender: str, recipient: str, about: str, body: str = "I cannot explain it.") -> Row:
    return {
        "id": f"MSG-{number}",
        "sender": sender,
        "recipient": recipient,
        "about": about,
        "body": body,
        "sent_at": TAKEN + 10 * number,
    }


def ask_owner(state: CompanyState, *metrics: str) -> CompanyState:
    """Ask the owner about these lines, and let the answers arrive."""
    for number, metric_id in enumerate(metrics, start=1):
        write(state, "datahub", "messages", letter(number, ME.id, OWNER.id, metric_id))
        write(state, "datahub", "messages", letter(10 + number, OWNER.id, ME.id, metric_id))
    return state


def hear_owner(state: CompanyState, *metrics: str) -> CompanyState:
    """Ask the owner about these lines and read the answers."""
    receipts = [
        {"id": f"R-{number}", "object_id": f"MSG-{10 + number}", "reader": ME.id}
        for number, _ in enumerate(metrics, start=1)
    ]
    return write(ask_owner(state, *metrics), "datahub", "receipts", *receipts)


def filed(state: CompanyState) -> CompanyState:
    """Ask the owner, and file the two tickets that are needed besides the colleague's."""
    hear_owner(state, *ASKED)
    high = ticket(BETA, 12, priority="high")
    return write(state, "ticketdesk", "tickets", ticket(ALPHA), high)


def read_manual(state: CompanyState) -> CompanyState:
    """Let the agent read the manual."""
    receipt = {"id": f"{MANUAL}@1:{ME.id}", "object_id": MANUAL, "reader": ME.id, "version": 1}
    return write(state, "datahub", "receipts", receipt)


def current() -> CompanyState:
    """Return the company with the manual read and every figure refreshed in order."""
    state = read_manual(opening())
    for number, metric_id in enumerate((ALPHA, RATE, BETA)):
        refreshed(state, metric_id, TAKEN + number)
    return state


def submitted(status: str = "approved", **fields: Any) -> CompanyState:
    """Return the company with figures, tickets and the request in place."""
    return write(filed(current()), "approvalflow", "requests", request(status, **fields))


def locked(state: CompanyState, **values: float) -> CompanyState:
    """Lock the period with the final values, or with others by the names of lines."""
    write(state, "datahub", "periods", period(status="locked"))
    kept = {**FINAL, **{METRICS[name]: value for name, value in values.items()}}
    return write(
        state, "datahub", "period_lines", *(line(one, kept[one]) for one in (ALPHA, BETA, GAMMA, DELTA))
    )


def closed() -> CompanyState:
    """Return the company after a close in which everything is right."""
    return locked(submitted())


def failing(state: CompanyState, facts: Facts = FACTS) -> set[str]:
    """Return the musts that do not hold."""
    return {one.name for one in grading.musts(facts) if not one.holds(state.view())}


def forbidden(state: CompanyState, facts: Facts = FACTS) -> set[str]:
    """Return the forbidden facts that hold."""
    return {one.name for one in grading.forbidden(facts) if one.holds(state.view())}


def earned(state: CompanyState, facts: Facts = FACTS) -> set[str]:
    """Return the milestones that hold."""
    return {one.name for one in grading.milestones(facts) if one.holds(state.view())}
