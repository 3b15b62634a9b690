"""Policy changes, and their effect on open requests."""

from companyos.chassis import UnitOfWork

from ..domain import OPEN, Action, Voiding, missing_fields, unknown_fields
from ..models import ApprovalType, PolicyChange, Request
from ..repository import ApprovalRepository
from .audit import Audit
from .catalog import Catalog
from .lifecycle import Lifecycle


class Policies:
    """Applies announced changes, and checks which open requests are still valid under them."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)
        self._lifecycle = Lifecycle(unit)
        self._audit = Audit(unit)

    async def change(self, change_id: str) -> None:
        """Apply an announced change as a new policy version, and check open requests against it."""
        change = await self._unit.get(PolicyChange, change_id)
        if change is None:
            return
        type_ = await Catalog(self._unit).get(change.type_id)
        for column, value in change.changes.items():
            setattr(type_, column, value)
        type_.policy_version += 1
        for request in await self._repository.of_type(type_.id, OPEN):
            await self._revalidate(request, type_)

    async def _revalidate(self, request: Request, type_: ApprovalType) -> None:
        """Keep a request that still meets the policy and is with an authorized approver; void any other."""
        specs = type_.policy.fields
        is_complete = not (missing_fields(specs, request.fields) or unknown_fields(specs, request.fields))
        if not is_complete or request.approver not in await self._lifecycle.deciders(request):
            sentence = "The policy has changed, and the request no longer satisfies it."
            await self._lifecycle.void(
                request,
                Voiding.POLICY_CHANGED,
                f"{sentence} Read the policy and the approval type again: version {type_.policy_version} applies.",
            )
            return
        request.policy_version = type_.policy_version
        request.version += 1
        await self._audit.note(
            request, Action.REVALIDATED, f"Still valid under version {type_.policy_version}."
        )
