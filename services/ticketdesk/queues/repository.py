"""The queries of queues, for tickets with their queue and service level."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ARRAY, Text, any_, bindparam, func, select

from companyos.chassis import ListPage, PagedQuery, Query, UnitOfWork, found_in, live, substring_pattern

from ..models import AnswerClock, Comment, Ticket
from ..repository import SEARCHED
from .domain import MOST_TEXTS, TicketQuery
from .models import Placement

_TICKETS = live(Ticket)
_PLACES = live(Placement).alias("places")
_CLOCKS = live(AnswerClock).alias("clocks")
_COMMENTS = live(Comment)
_REPORTED = live(Ticket).alias("reported")
_EQUALS = {
    "status": _TICKETS.c.status,
    "priority": _TICKETS.c.priority,
    "kind": _TICKETS.c.kind,
    "reporter": _TICKETS.c.reporter,
    "assignee": _TICKETS.c.assignee,
    "queue": _PLACES.c.queue,
}
_IDS: Any = bindparam("ids", type_=ARRAY(Text))
_SEARCHED = [_TICKETS.c[column] for column in SEARCHED]


def _parameter(name: str) -> Any:
    """Return the parameter of a term, which is empty if the query has no such term."""
    return bindparam(name, type_=Text)


def _is_answered() -> Any:
    is_answered = _CLOCKS.c.answered_at.is_not(None)
    given = _parameter("answered")
    return (given == "") | ((given == "yes") & is_answered) | ((given == "no") & ~is_answered)


MATCHING = PagedQuery(
    select(_TICKETS)
    .select_from(
        _TICKETS.outerjoin(_PLACES, _PLACES.c.id == _TICKETS.c.id).outerjoin(
            _CLOCKS, _CLOCKS.c.id == _TICKETS.c.id
        )
    )
    .where(*((_parameter(name) == "") | (column == _parameter(name)) for name, column in _EQUALS.items()))
    .where(_is_answered())
    .where(*(found_in(_SEARCHED, f"text{number}") for number in range(MOST_TEXTS)))
    .where((func.cardinality(_IDS) == 0) | (_TICKETS.c.id == any_(_IDS))),
    Ticket,
    after=_TICKETS.c.id > _parameter("after"),
    order=[_TICKETS.c.id],
)

REPORTERS_COMMENTS = Query(
    select(_COMMENTS)
    .join(_REPORTED, (_REPORTED.c.id == _COMMENTS.c.ticket_id) & (_REPORTED.c.reporter == _COMMENTS.c.author))
    .where(_REPORTED.c.id == any_(_IDS))
    .order_by(_COMMENTS.c.created_at, _COMMENTS.c.id),
    Comment,
)


class QueueRepository:
    """Finds tickets in the world of one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def matching(self, query: TicketQuery, *, after: str | None, limit: int) -> ListPage[Ticket]:
        """Return a page of the tickets that match a query, by id."""
        equals = {name: query.equals.get(name, "") for name in (*_EQUALS, "answered")}
        texts = [*query.texts, *[""] * (MOST_TEXTS - len(query.texts))]
        patterns = {
            f"text{number}": substring_pattern(text) if text else "" for number, text in enumerate(texts)
        }
        return await self._unit.find_page(
            MATCHING, after=after, limit=limit, ids=query.ids, **equals, **patterns
        )

    async def reporters_comments(self, ticket_ids: Sequence[str]) -> list[Comment]:
        """Return what the reporters of these tickets have written on them, oldest first."""
        return await self._unit.find(REPORTERS_COMMENTS, ids=list(ticket_ids)) if ticket_ids else []
