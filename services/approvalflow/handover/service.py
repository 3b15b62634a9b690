"""The rules for handing requests over, and for approvers who leave."""

from companyos.chassis import UnitOfWork, VersionConflict

from ..domain import AT_APPROVER, Action, Voiding
from ..errors import RequestUnknown
from ..models import ApprovalType, Person, Request
from ..purchases.service import Purchases
from ..service.audit import Audit
from ..service.lifecycle import Lifecycle
from .errors import MayNotDecide, NotWithApprover
from .events import DelegationChanged
from .repository import HandoverRepository

#: The name under which DataHub lists access to this service.
SYSTEM = "approvalflow"


class Handover:
    """Moves requests from one approver to another, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = HandoverRepository(unit)
        self._audit = Audit(unit)
        self._lifecycle = Lifecycle(unit)

    async def reassign(self, request_id: str, *, to: str, reason: str, version: int | None) -> Request:
        """Hand a request over to another person who may decide it now.

        Raises:
            RequestUnknown: No such request in this world.
            VersionConflict: It is not at the expected version.
            NotWithApprover: It is held, or has ended.
            MayNotDecide: The route does not lead to that person, or they already have the request.
        """
        request = await self._load(request_id, version)
        if request.status not in AT_APPROVER:
            raise NotWithApprover(request.id, request.status)
        others = [one for one in await self._lifecycle.deciders(request) if one != request.approver]
        if to not in others:
            raise MayNotDecide(request.id, to, others)

        handed_on = f"From {request.approver} to {to}: {reason}"
        request.approver = to
        request.version += 1
        type_ = await self._unit.get(ApprovalType, request.type)
        if type_ is not None:
            self._lifecycle.ask(request, at=self._unit.now + type_.decision_s)
        await self._audit.note(request, Action.REASSIGNED, handed_on, by=self._unit.actor)
        return request

    async def note_departure(self, person_id: str) -> None:
        """Stop a person who left from deciding or signing, and end the requests and purchases that wait for them."""
        person = await self._unit.get(Person, person_id)
        if person is None or not person.active:
            return
        person.active = False
        for request in await self._repository.open_requests_of(person_id):
            await self._lifecycle.void(request, Voiding.APPROVER_LEFT, f"{person_id} can no longer decide.")
        await Purchases(self._unit).note_departure(person_id)

    async def delegation_changed(self, news: DelegationChanged) -> None:
        """Store a person's new delegation, unless a newer one is known."""
        person = await self._unit.get(Person, news.person_id)
        if person is None or news.version <= person.delegation_version:
            return
        person.delegate, person.delegate_types = news.delegate, news.delegate_types
        person.delegate_limit, person.delegation_version = news.delegate_limit, news.version

    async def _load(self, request_id: str, version: int | None) -> Request:
        request = await self._unit.get(Request, request_id)
        if request is None:
            raise RequestUnknown(request_id)
        if version is not None and version != request.version:
            raise VersionConflict(request.version, version)
        return request
