"""ApprovalFlow's queries, except lookups of one row by its id."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ARRAY, Text, any_, bindparam, func, select, tuple_

from companyos.chassis import ListPage, PagedQuery, Query, UnitOfWork, live

from .chains import Colleague
from .decisions import Objection
from .domain import AT_APPROVER, OPEN, Status
from .models import Announcement, ApprovalType, AuditEntry, Metric, Person, PolicyChange, Rejection, Request

_REQUESTS = live(Request)
_PEOPLE = live(Person)
_AUDIT = live(AuditEntry)
_REJECTIONS = live(Rejection)

# By length first, so that the entry `-A10` follows `-A9`.
_ENTRY_NUMBER = (func.length(_AUDIT.c.id), _AUDIT.c.id)
_AFTER = bindparam("after", type_=Text)
_OF_REQUEST = _AUDIT.c.request_id == bindparam("request_id", type_=Text)

REQUESTS_OF_TYPES = Query(
    select(_REQUESTS)
    .where(_REQUESTS.c.type == any_(bindparam("types", type_=ARRAY(Text))))
    .where(_REQUESTS.c.status == any_(bindparam("statuses", type_=ARRAY(Text))))
    .order_by(_REQUESTS.c.id),
    Request,
)
PEOPLE_BY_ID = Query(
    select(_PEOPLE).where(_PEOPLE.c.id == any_(bindparam("ids", type_=ARRAY(Text)))).order_by(_PEOPLE.c.id),
    Person,
)
AUDIT_PAGE = PagedQuery(
    select(_AUDIT).where(_OF_REQUEST),
    AuditEntry,
    after=tuple_(*_ENTRY_NUMBER) > tuple_(func.length(_AFTER), _AFTER),
    order=_ENTRY_NUMBER,
)
REJECTIONS_BY_ID = Query(
    select(_REJECTIONS)
    .where(_REJECTIONS.c.id == any_(bindparam("ids", type_=ARRAY(Text))))
    .order_by(_REJECTIONS.c.id),
    Rejection,
)


class ApprovalRepository:
    """Reads rows in the world of one unit of work; lists are ordered by id."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def types(self, *, after: str | None, limit: int) -> ListPage[ApprovalType]:
        """Return a page of approval types."""
        return await self._unit.page(ApprovalType, after=after, limit=limit)

    async def requests(
        self, *, status: str | None, type_id: str | None, ticket_id: str | None, after: str | None, limit: int
    ) -> ListPage[Request]:
        """Return a page of requests, optionally of one status, type or ticket."""
        given = {"status": status, "type": type_id, "ticket_id": ticket_id}
        filters: dict[str, Any] = {column: value for column, value in given.items() if value is not None}
        return await self._unit.page(Request, after=after, limit=limit, **filters)

    async def next_request_id(self) -> str:
        """Return the id of the next request of this world."""
        return await self._unit.next_id(Request, "APR-", width=4)

    async def announcements(self, about: str) -> list[Announcement]:
        """Return the announced versions of a ticket or a metric, in order."""
        return await self._unit.all(Announcement, about=about)

    async def requests_for(self, type_id: str, ticket_id: str | None, *, requester: str) -> list[Request]:
        """Return all requests of a type about one ticket; without a ticket, the requester's own."""
        own = {} if ticket_id else {"requester": requester}
        return await self._unit.all(Request, type=type_id, ticket_id=ticket_id, **own)

    async def objectors(self, request: Request) -> set[str]:
        """Return the approvers who rejected this decision before and asked for a second approver."""
        if request.attempt == 1:
            return set()
        same = await self.requests_for(request.type, request.ticket_id, requester=request.requester)
        return {objector for one in same if (objector := one.objector) is not None}

    async def open_requests_about(self, ticket_id: str) -> list[Request]:
        """Return the undecided requests about a ticket."""
        found = await self._unit.all(Request, ticket_id=ticket_id)
        return [request for request in found if request.status in OPEN]

    async def held_for(self, metric_name: str) -> list[Request]:
        """Return the held requests, of any type, whose policy needs a metric of this name."""
        return await self._by_metric(metric_name, [Status.HELD])

    async def resting_on(self, metric: Metric) -> list[Request]:
        """Return the pending requests with this metric pinned as evidence."""
        found = await self._by_metric(metric.name, AT_APPROVER)
        return [request for request in found if request.evidence.get("metric_id") == metric.id]

    async def of_type(self, type_id: str, statuses: Iterable[Status]) -> list[Request]:
        """Return the requests of a type with one of these statuses."""
        return await self._unit.find(
            REQUESTS_OF_TYPES, types=[type_id], statuses=[str(status) for status in statuses]
        )

    async def announced_changes(self, type_id: str, *, after: int) -> list[PolicyChange]:
        """Return the changes of a type's policy that come into force after a time, in order."""
        found = await self._unit.all(PolicyChange, type_id=type_id)
        return sorted((change for change in found if change.at > after), key=lambda change: change.at)

    async def successor(self, request_id: str) -> Request | None:
        """Return the request that resubmits a rejected one, if there is one."""
        found = await self._unit.all(Request, supersedes=request_id)
        return found[0] if found else None

    async def metric(self, name: str, subject: str | None) -> Metric | None:
        """Return the metric with this name about a subject, or else the company-wide one with this name."""
        found = await self._unit.all(Metric, name=name)
        about = {metric.subject: metric for metric in reversed(found)}
        return about.get(subject) or about.get(None)

    async def route(self, role: str | None) -> dict[str, Colleague]:
        """Return the holders of a role, their delegates, and so on, by id."""
        met = await self._unit.all(Person, role=role) if role is not None else []
        people: dict[str, Colleague] = {}
        while met:
            people |= {person.id: person.colleague for person in met}
            unknown = sorted({person.delegate for person in met if person.delegate} - set(people))
            met = await self._unit.find(PEOPLE_BY_ID, ids=unknown) if unknown else []
        return people

    async def objections(self, request: Request) -> list[Objection]:
        """Return the approver's objections to this decision, up to this attempt."""
        about = request.subject or request.ticket_id
        attempts = range(1, request.attempt + 1)
        ids = [f"{request.type}:{about}:{attempt}" for attempt in attempts]
        return [rejection.objection for rejection in await self._unit.find(REJECTIONS_BY_ID, ids=ids)]

    async def audit(self, request_id: str, *, after: str | None, limit: int) -> ListPage[AuditEntry]:
        """Return a page of a request's audit trail, oldest first."""
        await self._unit.row_of_cursor(after, AuditEntry, request_id=request_id)
        return await self._unit.find_page(AUDIT_PAGE, request_id=request_id, after=after, limit=limit)

    async def _by_metric(self, metric_name: str, statuses: Iterable[Status]) -> list[Request]:
        types = await self._unit.all(ApprovalType, metric_name=metric_name)
        return await self._unit.find(
            REQUESTS_OF_TYPES,
            types=[type_.id for type_ in types],
            statuses=[str(status) for status in statuses],
        )
