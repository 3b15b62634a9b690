"""The pack of closing: kinds of ticket, the approval of a close, and the books of other entities."""

from typing import Any, Final

from companyos.sdk.company import (
    ApprovalType,
    Band,
    Cast,
    Company,
    FormField,
    Pack,
    Row,
    TicketKind,
    somebody,
)
from companyos.sdk.simtime import HOUR

from . import texts
from .books import CLASSES, ENTITIES, ENTITY, LINES, draw_settled_lines, open_books, write_figures

CLOSE_TICKET, VARIANCE_TICKET = "period_close", "variance"
CLOSE_APPROVAL: Final = "close_approval"


def close_approval(limit: float) -> ApprovalType:
    """Return the approval of a close; the unexplained amount determines the approver."""
    return ApprovalType(
        CLOSE_APPROVAL,
        "Close approval",
        "Signs off a period before it is locked, on the figures as they are.",
        (
            FormField("period", "string", "Id of the period."),
            FormField("variances", "integer", "How many variance tickets are open for it."),
            FormField("unexplained", "number", "What remains unexplained in those, in euros, added up."),
            FormField("manual", "string", "Id of the edition of the manual that was followed."),
        ),
        (Band("controller", limit), Band("cfo")),
        route_field="unexplained",
    )


def open_close_ticket(company: Company, entity: Row, quarter: str, ticket_id: str, **columns: Any) -> Row:
    """Add the ticket of a close, in the usual wording."""
    reporter = somebody(company, "close.reporter", _number(ticket_id))
    name = f"{quarter} of {entity['name']}"
    return company.add_ticket(
        ticket_id,
        CLOSE_TICKET,
        f"Close {name}",
        company.describe(ticket_id, CLOSE_TICKET, reporter, name=name),
        reporter,
        subject=entity["id"],
        cost_centre=entity["fields"]["cost_centre"],
        **columns,
    )


def open_variance_ticket(company: Company, metric: Row, ticket_id: str, *, is_open: bool) -> Row:
    """Add a ticket about a metric's variance, either from this week or settled long ago."""
    number = _number(ticket_id)
    reporter = somebody(company, "variance.reporter", number)
    name = metric["name"].replace("_", " ")
    settled: dict[str, Any] = {
        "acts": ("assigned", "closed"),
        "status": "closed",
        "assignee": somebody(company, "variance.assignee", number).id,
        "resolution": company.draws.choice("variance.end", texts.ENDS, number),
    }
    ticket = company.add_ticket(
        ticket_id,
        VARIANCE_TICKET,
        f"Variance in {name}",
        company.describe(ticket_id, VARIANCE_TICKET, reporter, name=name),
        reporter,
        priority=company.draws.choice("variance.priority", ("medium", "high"), number),
        subject=metric["id"],
        **({} if is_open else settled),
    )
    if is_open:
        ticket["created_at"] = ticket["updated_at"] = company.start - 3 * HOUR
    return ticket


def books_of_others(company: Company, cast: Cast, number: int) -> None:
    """Write an entity's quarters, one of them with lines, a closing ticket and a settled variance."""
    taken = {row["name"] for row in company.rows["datahub"]["records"] if row["kind"] == ENTITY}
    free = [name for pair in ENTITIES for name in pair if name not in taken]
    if not free:
        past_variance(company, cast, number)
        return
    draws, next_id = company.draws, company.numbers.next
    name, size_class = draws.choice("entity", free, number), draws.choice("entity.class", CLASSES, number)
    status = draws.choice("entity.status", ("open", "locked", "reopened"), number)
    books = open_books(company, name, size_class, cast.offices["controller"], next_id, status)
    key = str(books.entity["id"])
    names = draws.sample("entity.lines", LINES, draws.integer("entity.count", 3, 6, number), number)
    lines = draw_settled_lines(draws, names, key)
    owners = {
        line.name: somebody(company, f"line.owner.{key}.{line.name}", at) for at, line in enumerate(lines)
    }
    write_figures(company, books, lines, {line.name: next_id("MET") for line in lines}, owners)
    _past_close(company, books.entity, books.period["name"], status)
    metric = draws.choice("entity.variance", list(books.metrics.values()), number)
    open_variance_ticket(company, metric, next_id("TD"), is_open=status == "open")


def past_variance(company: Company, cast: Cast, number: int) -> None:
    """Write a settled variance of a line."""
    if lines := company.rows["datahub"]["period_lines"]:
        line = company.draws.choice("past.line", lines, number)
        metric = company.row("datahub", "metrics", line["metric_id"])
        open_variance_ticket(company, metric, company.numbers.next("TD"), is_open=False)


def _past_close(company: Company, entity: Row, quarter: str, status: str) -> None:
    locked: dict[str, Any] = {
        "acts": ("assigned", "closed"),
        "status": "closed",
        "assignee": somebody(company, f"close.assignee.{entity['id']}", 0).id,
        "priority": "high",
        "resolution": "Locked.",
    }
    columns = locked if status == "locked" else {}
    open_close_ticket(company, entity, quarter, company.numbers.next("TD"), **columns)


def _number(ticket_id: str) -> int:
    return int(ticket_id.rpartition("-")[2])


PACK: Final = Pack(
    name="closing",
    ticket_kinds=tuple(
        TicketKind(
            kind,
            name,
            ("medium", "high"),
            ("controller",),
            ("priority", "assignee", "subject"),
            needs_approval=False,
            phrases=phrases,
        )
        for kind, name, phrases in (
            (CLOSE_TICKET, "Period close", texts.CLOSE),
            (VARIANCE_TICKET, "Variance", texts.VARIANCE),
        )
    ),
    approval_types=(close_approval(60_000.0),),
    record_kinds=(ENTITY,),
    teams=(("Group accounting", "group_accountant"),),
    stories=(books_of_others, past_variance),
)
