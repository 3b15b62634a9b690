"""Changes of a company under construction: past roll-outs, and the procedures that make metrics recover."""

from collections.abc import Sequence

from ..rows import Row
from ..staff import Person
from ..tables import Tables


def add_change(
    company: Tables,
    change_id: str,
    ticket: Row,
    system: Row,
    procedure: str,
    by: Person,
    *,
    age_s: int,
    undone_after_s: int | None = None,
) -> Row:
    """Add an emergency change that was rolled out `age_s` before the start.

    Args:
        ticket: The ticket that it was planned for.
        system: The record of the system that it changed.
        procedure: What was done.
        by: The person who planned it and rolled it out.
        age_s: How long ago it went live.
        undone_after_s: How long after that it was rolled back; None: it is still live.
    """
    at = company.start - age_s
    undone = None if undone_after_s is None else at + undone_after_s
    row = {
        "id": change_id,
        "ticket_id": ticket["id"],
        "system": system["id"],
        "procedure": procedure,
        "category": "emergency",
        "planned_by": by.id,
        "planned_at": at,
        "status": "rolled_out" if undone is None else "rolled_back",
        "starts_at": None,
        "rolled_out_by": by.id,
        "rolled_out_at": at,
        "rolled_back_at": undone,
        "version": 2 if undone is None else 3,
    }
    return company.add_row("ticketdesk", "changes", row)


def add_remedy(
    company: Tables,
    metric: Row,
    system: Row,
    procedure: str,
    *,
    before: Sequence[float],
    after: Sequence[float],
) -> Row:
    """Make a metric recover at its next refresh once a procedure is live on a system.

    Args:
        company: The company.
        metric: The metric, whose source must have the values `before`.
        system: The record of the system that must be changed.
        procedure: What must be done to it.
        before: The refresh values until then.
        after: The refresh values from then on.
    """
    row = {"id": metric["id"], "system": system["id"], "procedure": procedure}
    return company.add_row("datahub", "remedies", {**row, "before": list(before), "after": list(after)})
