"""Policies that change: what is announced, what happens on the day, and what that means for open requests."""

from companyos.chassis import UnitOfWork

from ..domain import OPEN, Action, Voiding, missing_fields, unknown_fields
from ..models import ApprovalType, PolicyChange, Request
from ..repository import ApprovalRepository
from .audit import Audit
from .catalogue import Catalogue
from .lifecycle import Lifecycle


class Policies:
    """Brings announced changes into force, and sees which open requests still stand under them."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)
        self._lifecycle = Lifecycle(unit)
        self._audit = Audit(unit)

    async def change(self, change_id: str) -> None:
        """Bring an announced change into force: a new version of the policy, under which open requests are judged."""
        change = await self._unit.get(PolicyChange, change_id)
        if change is None:
            return
        type_ = await Catalogue(self._unit).get(change.type_id)
        for column, value in change.changes.items():
            setattr(type_, column, value)
        type_.policy_version += 1
        for request in await self._repository.of_type(type_.id, OPEN):
            await self._revalidate(request, type_)

    async def _revalidate(self, request: Request, type_: ApprovalType) -> None:
        """Keep a request that still says what the policy asks of it and lies with who may decide it; void others."""
        specs = type_.policy.fields
        is_complete = not (missing_fields(specs, request.fields) or unknown_fields(specs, request.fields))
        if not is_complete or request.approver not in await self._lifecycle.deciders(request):
            sentence = "The policy has changed, and the request is not what it asks for now."
            await self._lifecycle.void(
                request,
                Voiding.POLICY_CHANGED,
                f"{sentence} Read the policy and the type, and submit again under version {type_.policy_version}.",
            )
            return
        request.policy_version = type_.policy_version
        request.version += 1
        await self._audit.note(
            request, Action.REVALIDATED, f"Stands under version {type_.policy_version} too."
        )
