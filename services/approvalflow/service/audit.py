"""The audit trail: one immutable entry for every act on a request, in order."""

from companyos.chassis import UnitOfWork

from ..domain import Action
from ..models import AuditEntry, Request

#: The actor of acts that the service performs automatically.
ITSELF = "approvalflow"


class Audit:
    """Writes the audit trail of requests."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def note(self, request: Request, action: Action, detail: str, *, by: str = ITSELF) -> None:
        """Record an act on a request, in words that reveal nothing hidden."""
        entry = AuditEntry(
            id=await self._unit.next_id(AuditEntry, f"{request.id}-A"),
            request_id=request.id,
            at=self._unit.now,
            actor=by,
            action=action,
            detail=detail,
        )
        self._unit.add(entry)
