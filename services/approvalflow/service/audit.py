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

    async def note(self, request: Request, action: Action, detail: str, *, by: str = ITSELF) -> None:
        """Put on record what happened to a request, in words that give nothing hidden away."""
        entry = AuditEntry(
            id=await self._repository.next_entry_id(request.id),
            request_id=request.id,
            at=self._unit.now,
            actor=by,
            action=action,
            detail=detail,
        )
        self._unit.add(entry)
