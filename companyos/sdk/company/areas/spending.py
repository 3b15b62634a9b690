"""Spending, for the builder of a company: budgets, and requests that wait in an approver's inbox."""

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any, Final, NamedTuple

from companyos.sdk.simtime import DAY

from .. import rows
from ..company import Company
from ..rows import Row
from ..staff import Person

#: The metric that shows how much of a budget its ledger counts as committed.
LEDGER: Final = "budget_committed"

_PERIOD_S: Final = 365 * DAY


class Line(NamedTuple):
    """A line item of a request, with its unit price."""

    text: str
    quantity: int
    unit_price: float

    @property
    def amount(self) -> float:
        """The price of all units."""
        return round(self.quantity * self.unit_price, 2)


def add_budget(
    company: Company,
    cost_centre: str,
    name: str,
    owner: Person,
    limit: float,
    *,
    committed: float,
    refreshed: float | None = None,
    age_s: int = DAY // 4,
    ttl_s: int = DAY,
    refresh_s: int = 900,
    years_ago: int = 0,
    period: tuple[int, int] | None = None,
    new_id: Callable[[str], str] | None = None,
) -> Row:
    """Add a cost centre's budget for a year or another period, with the metric of its ledger.

    Args:
        committed: The amount that the ledger shows now.
        refreshed: The amount that it shows after a refresh; None: the same.
        years_ago: How many years ago its period was the current one.
        period: Its period, if not a year, as its first instant and the first instant after it.
        new_id: Assigns the ids of a series; by default the next ones.
    """
    numbered = new_id or company.numbers.next
    row = _budget(numbered("BUD"), cost_centre, name, owner, limit, period or _year(company, years_ago))
    budget = company.add_row("datahub", "budgets", row)
    company.add_metric(
        LEDGER,
        budget["id"],
        committed,
        "EUR",
        age_s=age_s,
        ttl_s=ttl_s,
        refresh_s=refresh_s,
        values=[] if refreshed is None else [refreshed],
        metric_id=numbered("MET"),
    )
    return budget


def ledger_of(company: Company, budget: Row) -> Row:
    """Return the metric of a budget's ledger, which was added recently."""
    metrics = reversed(company.rows["datahub"]["metrics"])
    return next(row for row in metrics if row["subject"] == budget["id"] and row["name"] == LEDGER)


def add_waiting_request(
    company: Company,
    request_id: str,
    type_id: str,
    fields: Mapping[str, Any],
    lines: Sequence[Line],
    requester: Person,
    approver: Person,
    *,
    age_s: int,
    due: int,
    policy_version: int = 1,
    attachments: Sequence[str] = (),
    note: str | None = None,
) -> Row:
    """Add a request without a ticket, made `age_s` ago, that waits for its approver.

    Args:
        due: When the approver's decision is made automatically, unless they decide in their inbox.
        attachments: References of the attached documents.
    """
    submitted_at = company.start - age_s
    request = rows.request(
        request_id,
        type_id,
        {"id": None, "subject": None},
        policy_version=policy_version,
        fields=dict(fields),
        requester=requester.id,
        approver=approver.id,
        status="pending",
        submitted_at=submitted_at,
        decision_due=due,
        evidence=_evidence(attachments, requester, submitted_at),
    )
    company.add_row("approvalflow", "requests", request)
    _tell_submission(company, request, note)
    for number, line in enumerate(lines, start=1):
        _add_line(company, request_id, number, line)
    return request


def decide_in_the_past(company: Company, request: Row, by: Person, status: str, *, after_s: int) -> None:
    """Mark a request as approved or rejected `after_s` after it was made."""
    at = request["submitted_at"] + after_s
    request.update(status=status, decided_at=at, decided_by=by.id, decision_due=None, version=3)
    _tell(company, request, 3, at, by.id, status, f"Decided by {by.id}.")


def will_answer(
    company: Company, request: Row, topic: str, text: str, *, delay_s: int, attaches: str | None = None
) -> None:
    """Set the answer that a requester gives when asked about a topic of their request."""
    answer = {"id": f"{request['id']}:{topic}", "text": text, "delay_s": delay_s, "attaches": attaches}
    company.add_row("approvalflow", "answers", answer)


def decides_in_person(company: Company, person: Person) -> None:
    """Make a person decide in their own inbox, so that nothing is decided for them."""
    company.row("approvalflow", "people", person.id)["by_hand"] = True


def total(lines: Sequence[Line]) -> float:
    """Return the price of all lines."""
    return round(fsum(line.amount for line in lines), 2)


def _budget(
    budget_id: str, cost_centre: str, name: str, owner: Person, limit: float, period: tuple[int, int]
) -> Row:
    starts_at, ends_at = period
    return {
        "id": budget_id,
        "cost_centre": cost_centre,
        "name": name,
        "owner": owner.id,
        "starts_at": starts_at,
        "ends_at": ends_at,
        "limit_amount": limit,
        "currency": "EUR",
    }


def _year(company: Company, years_ago: int) -> tuple[int, int]:
    """Return the first instant of a budget's year, and the first instant after it."""
    starts_at = company.start - _PERIOD_S // 4 - years_ago * _PERIOD_S
    return starts_at, starts_at + _PERIOD_S


def _add_line(company: Company, request_id: str, number: int, line: Line) -> None:
    row = {"id": f"{request_id}-L{number}", "request_id": request_id, **line._asdict()}
    company.add_row("approvalflow", "line_items", {**row, "amount": line.amount})


def _evidence(attachments: Sequence[str], by: Person, at: int) -> dict[str, Any]:
    attached = [{"kind": "document", "reference": one, "by": by.id, "at": at} for one in attachments]
    return {"attachments": attached} if attached else {}


def _tell_submission(company: Company, request: Row, note: str | None) -> None:
    at, by, approver = request["submitted_at"], request["requester"], request["approver"]
    noted = f" Note: {note}" if note else ""
    _tell(company, request, 1, at, by, "submitted", f"Submitted to {approver}.{noted}")
    _tell(company, request, 2, at, by, "released", f"Handed to {approver}.")


def _tell(company: Company, request: Row, number: int, at: int, actor: str, action: str, detail: str) -> None:
    entry = rows.audit_entry(request["id"], number, at, actor, action, detail)
    company.add_row("approvalflow", "audit", entry)
