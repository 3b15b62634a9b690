"""The acts on requests: one public method per tool, each of which loads, refuses, changes and records."""

from dataclasses import dataclass

from companyos.chassis import ListPage, Permissions, UnitOfWork, VersionConflict

from .. import errors
from ..decisions import escalation_target
from ..domain import AT_APPROVER, OPEN, Action, EvidenceKind, FieldValue, PermissionId, Status, Waiting
from ..events import ApprovalRequested
from ..models import ApprovalType, AuditEntry, Permission, Person, Request
from ..repository import ApprovalRepository
from ..wording import asked
from .audit import Audit
from .catalog import Catalog
from .drafts import Drafts
from .lifecycle import Lifecycle


@dataclass(frozen=True)
class Standing:
    """A request's status, explained.

    Attributes:
        explanation: What happens now and what the caller can do, in words.
    """

    id: str
    status: str
    policy_version: int
    approver: str
    waiting_for: list[Waiting]
    decision_due_at: int | None
    decided_by: str | None
    reason_code: str | None
    remedy: str | None
    required_field: str | None
    required_evidence: str | None
    explanation: str


class Requests:
    """The acts on requests, for one caller in one unit of work.

    A method's `version` is the one that the caller has read; the method raises `VersionConflict` if the request has
    changed since then.
    """

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)
        self._catalog = Catalog(unit)
        self._audit = Audit(unit)
        self._lifecycle = Lifecycle(unit)
        self._drafts = Drafts(unit)
        self._permissions = Permissions(unit, Permission)

    async def page(
        self, *, status: str | None, type_id: str | None, ticket_id: str | None, after: str | None, limit: int
    ) -> ListPage[Request]:
        """Return a page of requests, optionally of one status, type or ticket."""
        return await self._repository.requests(
            status=status, type_id=type_id, ticket_id=ticket_id, after=after, limit=limit
        )

    async def get(self, request_id: str, version: int | None = None) -> Request:
        """Return a request.

        Raises:
            RequestUnknown: No such request in this world.
            VersionConflict: The request is not at the expected version.
        """
        request = await self._unit.get(Request, request_id)
        if request is None:
            raise errors.RequestUnknown(request_id)
        if version is not None and version != request.version:
            raise VersionConflict(request.version, version)
        return request

    async def standing(self, request_id: str) -> Standing:
        """Return a request's status with an explanation."""
        request = await self.get(request_id)
        return Standing(
            id=request.id,
            status=request.status,
            policy_version=request.policy_version,
            approver=request.approver,
            waiting_for=request.waiting_for,
            decision_due_at=request.decision_due,
            decided_by=request.decided_by,
            reason_code=request.reason_code,
            remedy=request.remedy,
            required_field=request.required_field,
            required_evidence=request.required_evidence,
            explanation=await self._lifecycle.explain(request),
        )

    async def audit(self, request_id: str, *, after: str | None, limit: int) -> ListPage[AuditEntry]:
        """Return a page of a request's audit trail, oldest first."""
        request = await self.get(request_id)
        return await self._repository.audit(request.id, after=after, limit=limit)

    async def submit(
        self,
        type_id: str,
        *,
        ticket_id: str | None,
        approver: str,
        fields: dict[str, FieldValue],
        note: str | None,
        policy_version: int | None = None,
    ) -> Request:
        """Ask an approver for a decision; `policy_version` is the one that the caller has read.

        Raises:
            PermissionRequired: The caller lacks the permission to submit requests.
            ApprovalTypeUnknown, TicketRequired, TicketUnknown, TicketKindMismatch: It has no valid subject.
            FieldUnknown, FieldsMissing, FieldWrongType: The fields do not match the type.
            ApproverUnknown, SeparationOfDuties, ApproverInvolved, SecondApproverRequired, ApproverAway: That
                person cannot be asked.
            PolicyVersionChanged: The policy changed since the caller read it.
            DuplicateRequest: An open request asks for the same decision.
        """
        await self._permissions.require(PermissionId.SUBMIT_REQUESTS, along=(ApprovalType, type_id))
        type_ = await self._catalog.get(type_id, field="type")
        if policy_version not in (None, type_.policy_version):
            raise errors.PolicyVersionChanged(type_id, type_.policy_version, policy_version)
        request = await self._drafts.draft(type_id, ticket_id=ticket_id, approver=approver, fields=fields)
        await self._enter(request, Action.SUBMITTED, note)
        return request

    async def resubmit(
        self,
        request_id: str,
        *,
        approver: str | None,
        fields: dict[str, FieldValue],
        note: str | None,
        version: int | None,
    ) -> Request:
        """Repeat a rejected request, with `fields` merged into its own; raises what `submit` does, and more.

        Raises:
            NotRequester: Another person made it.
            NotRejected: It was not rejected.
            AlreadyResubmitted: It was resubmitted before.
        """
        await self._permissions.require(PermissionId.SUBMIT_REQUESTS, along=(Request, request_id))
        rejected = await self._own(request_id, version)
        if rejected.status != Status.REJECTED:
            raise errors.NotRejected(rejected.id, rejected.status)
        await self._refuse_superseded(rejected)

        request = await self._drafts.draft(
            rejected.type,
            ticket_id=rejected.ticket_id,
            approver=approver or rejected.approver,
            fields={**rejected.fields, **fields},
        )
        request.supersedes = rejected.id
        if attachments := rejected.evidence.get("attachments"):
            request.evidence = {"attachments": attachments}
        await self._enter(request, Action.RESUBMITTED, note)
        return request

    async def withdraw(self, request_id: str, *, reason: str, version: int | None) -> Request:
        """Withdraw one of the caller's own open requests.

        Raises:
            NotRequester: Another person made it.
            RequestNotOpen: It has ended.
        """
        request = await self._own(request_id, version)
        if request.status not in OPEN:
            raise errors.RequestNotOpen(request.id, request.status)

        await self._lifecycle.close(request, Status.WITHDRAWN, reason=reason)
        await self._audit.note(request, Action.WITHDRAWN, reason, by=self._unit.actor)
        return request

    async def escalate(self, request_id: str, *, reason: str, version: int | None) -> Request:
        """Hand a request to another person who may decide it.

        Raises:
            RequestNotOpen: It has ended.
            NotOverdue: Its approver is present and still has time, or has not been asked yet.
            NobodyToEscalateTo: Nobody else may decide it now.
        """
        request = await self.get(request_id, version)
        approver = await self._unit.get(Person, request.approver)
        await self._refuse_early(request, approver)
        type_ = await self._catalog.get(request.type)
        target = escalation_target(
            await self._lifecycle.deciders(request),
            approver=request.approver,
            delegate=approver.delegate if approver else None,
            barred=await self._lifecycle.barred_people(request),
        )
        if target is None:
            raise errors.NobodyToEscalateTo(request.id)

        handed_on = f"From {request.approver} to {target}: {reason}"
        request.approver, request.status = target, Status.ESCALATED
        request.version += 1
        self._lifecycle.ask(request, at=self._unit.now + type_.decision_s)
        await self._audit.note(request, Action.ESCALATED, handed_on, by=self._unit.actor)
        return request

    async def add_evidence(
        self, request_id: str, *, kind: EvidenceKind, reference: str, version: int | None
    ) -> Request:
        """Attach something to an open or rejected request; a resubmission keeps the attachments.

        Raises:
            RequestNotOpen: It has ended without a rejection.
            AlreadyResubmitted: It was resubmitted; the attachment belongs on its successor.
        """
        request = await self.get(request_id, version)
        if request.status not in (*OPEN, Status.REJECTED):
            raise errors.RequestNotOpen(request.id, request.status)
        await self._refuse_superseded(request)

        attachment = {"kind": kind, "reference": reference, "by": self._unit.actor, "at": self._unit.now}
        attachments = [*request.evidence.get("attachments", []), attachment]
        request.evidence = {**request.evidence, "attachments": attachments}
        request.version += 1
        await self._audit.note(request, Action.EVIDENCE_ADDED, f"{kind}: {reference}", by=self._unit.actor)
        return request

    async def _own(self, request_id: str, version: int | None) -> Request:
        request = await self.get(request_id, version)
        if request.requester != self._unit.actor:
            raise errors.NotRequester(request.id, request.requester)
        return request

    async def _enter(self, request: Request, action: Action, note: str | None) -> None:
        facts, deciders = await self._lifecycle.facts(request), await self._lifecycle.deciders(request)
        made = asked(request.approver, request.fields, note)
        await self._audit.note(request, action, made, by=self._unit.actor)
        if request.approver not in deciders:
            astray = f"{request.approver} was asked, who may not decide it now under the policy."
            await self._audit.note(request, Action.MISDIRECTED, astray)
        await self._lifecycle.enter(request, facts)
        self._unit.add(request)
        self._unit.record(
            ApprovalRequested(
                request_id=request.id,
                type=request.type,
                ticket_id=request.ticket_id,
                subject=request.subject,
            )
        )

    async def _refuse_superseded(self, request: Request) -> None:
        successor = await self._repository.successor(request.id)
        if successor is not None:
            raise errors.AlreadyResubmitted(request.id, successor.id)

    async def _refuse_early(self, request: Request, approver: Person | None) -> None:
        if request.status == Status.HELD:
            wants = await self._lifecycle.wants(request)
            raise errors.NotOverdue(
                request.id, f"it is held until {wants}, so no approver has been asked yet."
            )
        if request.status not in AT_APPROVER or request.decision_due is None:
            raise errors.RequestNotOpen(request.id, request.status)
        is_away = approver is not None and approver.colleague.is_away(self._unit.now)
        if not is_away and self._unit.now < request.decision_due:
            raise errors.NotOverdue(request.id, await self._lifecycle.explain(request))
