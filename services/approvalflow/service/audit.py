"""The audit: one entry for everything that happens to a request, in order, never changed."""

from companyos.chassis import UnitOfWork

from ..domain import Action
from ..models import AuditEntry, Request
from ..repository import ApprovalRepository

#: Who acts when nobody does: the rules themselves.
ITSELF = "approvalflow"


class Audit:
    """Writes the audit of requests."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)
        self._last: dict[str, int] = {}

    def open(self, request: Request) -> None:
        """Begin the audit of a new request."""
        self._last[request.id] = 0

    async def note(self, request: Request, action: Action, detail: str, *, by: str = ITSELF) -> None:
        """Put on record what happened to a request, in words that give nothing hidden away."""
        if request.id not in self._last:
            self._last[request.id] = await self._repository.last_entry_number(request.id)
        self._last[request.id] += 1
        entry = AuditEntry(
            id=f"{request.id}-A{self._last[request.id]}",
            request_id=request.id,
            at=self._unit.now,
            actor=by,
            action=action,
            detail=detail,
        )
        self._unit.add(entry)
