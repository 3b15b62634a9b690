"""The audit: one entry for everything that happens to a request, in order, never changed."""

from companyos.chassis import UnitOfWork

from ..domain import Action
from ..models import AuditEntry, Request

#: Who acts when nobody does: the rules themselves.
ITSELF = "approvalflow"


class Audit:
    """Writes the audit of requests."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def note(self, request: Request, action: Action, detail: str, *, by: str = ITSELF) -> None:
        """Put on record what happened to a request, in words that give nothing hidden away."""
        entry = AuditEntry(
            id=await self._unit.next_id(AuditEntry, f"{request.id}-A"),
            request_id=request.id,
            at=self._unit.now,
            actor=by,
            action=action,
            detail=detail,
        )
        self._unit.add(entry)
