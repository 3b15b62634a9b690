"""The pack of closing: kinds of ticket, the approval of a close, and the books of other entities."""

from typing import Any, Final

from companyos.sdk.company import (
    ApprovalType,
    Band,
    Cast,
    Company,
    FormField,
    Pack,
    Person,
    Row,
    TicketKind,
    somebody,
)
from companyos.sdk.simtime import HOUR

from . import texts
from .books import CLASSES, ENTITIES, ENTITY, LINES, Bookkeeper, Books, draw_settled_lines, label

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


def add_close_ticket(company: Company, ticket_id: str, books: Books) -> Row:
    """Add the ticket of a close, which is closed if the period is locked."""
    entity, name = books.entity, f"{books.period['name']} of {books.entity['name']}"
    columns = {"subject": entity["id"], "cost_centre": entity["fields"]["cost_centre"]}
    if books.period["status"] == "locked":
        closer = somebody(company, f"close.assignee.{entity['id']}", 0)
        columns |= {"priority": "high", **_closed(closer, "Locked.")}
    reporter = somebody(company, "close.reporter", _number(ticket_id))
    description = company.describe(ticket_id, CLOSE_TICKET, reporter, name=name)
    return company.add_ticket(ticket_id, CLOSE_TICKET, f"Close {name}", description, reporter, **columns)


def add_variance_ticket(company: Company, ticket_id: str, metric_id: str, *, is_open: bool) -> None:
    """Add a ticket about a metric's variance, either from this morning or settled long ago."""
    number, draws = _number(ticket_id), company.draws
    priority = draws.choice("variance.priority", ("medium", "high"), number)
    columns = {"subject": metric_id, "priority": priority}
    if not is_open:
        closer = somebody(company, "variance.assignee", number)
        columns |= _closed(closer, draws.choice("variance.end", texts.ENDS, number))
    name = label(company.row("datahub", "metrics", metric_id)["name"])
    reporter = somebody(company, "variance.reporter", number)
    description = company.describe(ticket_id, VARIANCE_TICKET, reporter, name=name)
    title = f"Variance in {name}"
    ticket = company.add_ticket(ticket_id, VARIANCE_TICKET, title, description, reporter, **columns)
    if is_open:
        ticket["created_at"] = ticket["updated_at"] = company.start - 3 * HOUR


def books_of_others(company: Company, cast: Cast, number: int) -> None:
    """Write an entity's quarters, one of them with lines, a closing ticket and a settled variance."""
    taken = {row["name"] for row in company.rows["datahub"]["records"] if row["kind"] == ENTITY}
    free = [name for pair in ENTITIES for name in pair if name not in taken]
    if not free:
        past_variance(company, cast, number)
        return
    draws, new_id = company.draws.about(number), company.numbers.next
    keeper, entity_id = Bookkeeper(company, cast.offices["controller"], new_id), new_id("LE")
    names = draws.sample("entity.lines", [*LINES], draws.integer("entity.count", 3, 6))
    ids = {name: new_id("MET") for name in names}
    owners = {name: somebody(company, f"line.owner.{entity_id}.{name}", at) for at, name in enumerate(names)}
    books = keeper.write_books(
        entity_id,
        draws.choice("entity", free),
        draws.choice("entity.class", CLASSES),
        draw_settled_lines(company.draws.about(entity_id), names, ids, owners),
        "locked",
        draws.choice("entity.status", ("open", "locked", "reopened")),
    )
    add_close_ticket(company, new_id("TD"), books)
    metric_id, is_open = draws.choice("entity.variance", books.lines).id, books.period["status"] == "open"
    add_variance_ticket(company, new_id("TD"), metric_id, is_open=is_open)


def past_variance(company: Company, cast: Cast, number: int) -> None:
    """Write a settled variance of a line."""
    if lines := company.rows["datahub"]["period_lines"]:
        metric_id = company.draws.choice("past.line", lines, number)["metric_id"]
        add_variance_ticket(company, company.numbers.next("TD"), metric_id, is_open=False)


def _closed(by: Person, resolution: str) -> dict[str, Any]:
    """Return the columns of a ticket that somebody has closed."""
    return {"acts": ("assigned", "closed"), "status": "closed", "assignee": by.id, "resolution": resolution}


def _number(ticket_id: str) -> int:
    return int(ticket_id.partition("-")[2])


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
