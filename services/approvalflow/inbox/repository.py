"""The queries of the inbox, except lookups of one row by its id."""

from typing import TypeVar

from sqlalchemy import ARRAY, Text, any_, bindparam, func, select

from companyos.chassis import ListPage, PagedQuery, Query, UnitOfWork, live

from ..chains import Colleague
from ..domain import AT_APPROVER
from ..models import Person, Request
from .models import LineItem, Question

Numbered = TypeVar("Numbered", LineItem, Question)

_REQUESTS = live(Request)
_PEOPLE = live(Person)

INBOX_PAGE = PagedQuery(
    select(_REQUESTS)
    .where(_REQUESTS.c.approver == any_(bindparam("approvers", type_=ARRAY(Text))))
    .where(_REQUESTS.c.status == any_(bindparam("statuses", type_=ARRAY(Text)))),
    Request,
    after=_REQUESTS.c.id > bindparam("after", type_=Text),
    order=[_REQUESTS.c.id],
)
DELEGATING = Query(
    select(_PEOPLE).where(func.coalesce(_PEOPLE.c.delegate, "") != "").order_by(_PEOPLE.c.id), Person
)


class InboxRepository:
    """Reads rows in the world of one unit of work; lists are ordered by id."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def waiting_for(self, approvers: list[str], *, after: str | None, limit: int) -> ListPage[Request]:
        """Return a page of the undecided requests that wait for any of these people."""
        statuses = [str(status) for status in AT_APPROVER]
        return await self._unit.find_page(
            INBOX_PAGE, approvers=approvers, statuses=statuses, after=after, limit=limit
        )

    async def delegating(self) -> list[Colleague]:
        """Return everybody who has a delegate."""
        return [person.colleague for person in await self._unit.find(DELEGATING)]

    async def line_items(self, request_id: str) -> list[LineItem]:
        """Return the line items of a request."""
        return _in_order(await self._unit.all(LineItem, request_id=request_id))

    async def questions(self, request_id: str) -> list[Question]:
        """Return the questions about a request, oldest first."""
        return _in_order(await self._unit.all(Question, request_id=request_id))


def _in_order(rows: list[Numbered]) -> list[Numbered]:
    # By length first, so that `-L10` follows `-L9`.
    return sorted(rows, key=lambda row: (len(row.id), row.id))
