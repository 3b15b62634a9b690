"""Personal data in requests: found by a person's identifiers, and permanently masked."""

from typing import Final

from companyos.chassis import ListPage, Mentioning, UnitOfWork, WorldRow, find_mentions, mask, mentioned

from ..domain import OPEN, Voiding
from ..models import AuditEntry, Request
from ..repository import ApprovalRepository
from ..service import Lifecycle, Requests
from .errors import NothingToRedact, RequestStillOpen
from .models import Erasure
from .schemas import FoundRequest

PLACE: Final = Mentioning(Request, ("fields", "reason"))


class Privacy:
    """The rules for personal data, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def find(self, identifiers: list[str], *, cursor: str | None, limit: int) -> ListPage[FoundRequest]:
        """Return a page of the requests that contain any of these identifiers, ordered by id."""
        found = await find_mentions(self._unit, [PLACE], identifiers, after=cursor, limit=limit)
        return found.map(lambda row: _found_request(row, identifiers))

    async def redact(self, request_id: str, *, basis: str, identifiers: list[str]) -> Erasure:
        """Mask identifiers in a request and in its audit trail, and record the redaction.

        Raises:
            RequestUnknown: No such request in this world.
            RequestStillOpen: It is not decided yet.
            NothingToRedact: It contains none of the identifiers.
        """
        request = await Requests(self._unit).get(request_id)
        if request.status in OPEN:
            raise RequestStillOpen(request.id, request.status)
        if not mask(request, PLACE.columns, identifiers):
            raise NothingToRedact(request.id)
        request.version += 1
        for entry in await self._unit.all(AuditEntry, request_id=request.id):
            mask(entry, ("detail",), identifiers)
        erasure = Erasure(request.id, self._unit.actor, self._unit.now, basis)
        self._unit.add(erasure)
        return erasure

    async def ticket_erased(self, ticket_id: str) -> None:
        """Void the open requests about a ticket that was erased."""
        lifecycle = Lifecycle(self._unit)
        for request in await ApprovalRepository(self._unit).open_requests_about(ticket_id):
            await lifecycle.void(request, Voiding.TICKET_ERASED, f"{ticket_id} was erased.")


def _found_request(row: WorldRow, identifiers: list[str]) -> FoundRequest:
    assert isinstance(row, Request)
    matches = mentioned(row, PLACE.columns, identifiers)
    return FoundRequest(id=row.id, kind=row.type, status=row.status, matches=matches)
