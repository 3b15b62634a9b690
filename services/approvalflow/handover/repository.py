"""The area's queries, except lookups of one row by its id."""

from sqlalchemy import ARRAY, Text, any_, bindparam, select

from companyos.chassis import Query, UnitOfWork, live

from ..domain import OPEN
from ..models import Request

_REQUESTS = live(Request)

REQUESTS_OF_APPROVER = Query(
    select(_REQUESTS)
    .where(_REQUESTS.c.approver == bindparam("approver", type_=Text))
    .where(_REQUESTS.c.status == any_(bindparam("statuses", type_=ARRAY(Text))))
    .order_by(_REQUESTS.c.id),
    Request,
)


class HandoverRepository:
    """Reads rows in the world of one unit of work; lists are ordered by id."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def open_requests_of(self, approver: str) -> list[Request]:
        """Return the undecided requests that name this approver."""
        return await self._unit.find(
            REQUESTS_OF_APPROVER, approver=approver, statuses=[str(status) for status in OPEN]
        )
