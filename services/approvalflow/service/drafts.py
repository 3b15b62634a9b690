"""Drafts of requests, which are validated first: a known subject, complete fields, and a present approver."""

from collections.abc import Iterable, Sequence

from companyos.chassis import UnitOfWork

from .. import errors
from ..domain import OPEN, FieldValue, Policy, Status, missing_fields, mistyped_fields, unknown_fields
from ..models import ApprovalType, Person, Request, Ticket
from ..repository import ApprovalRepository
from .catalog import Catalog


class Drafts:
    """Turns a caller's input into new requests, or refuses it."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)

    async def draft(
        self, type_id: str, *, ticket_id: str | None, approver: str, fields: dict[str, FieldValue]
    ) -> Request:
        """Return a new request in the caller's name, not yet added to the world.

        Raises:
            ServiceError: Any refusal that `Requests.submit` lists.
        """
        type_ = await Catalog(self._unit).get(type_id, field="type")
        ticket = await self._ticket(type_.policy, ticket_id)
        stated: dict[str, FieldValue] = {name: value for name, value in fields.items() if value is not None}
        _refuse_fields(type_.policy, stated)
        same = await self._repository.requests_for(type_.id, ticket_id, requester=self._unit.actor)
        await self._refuse_approver(type_, approver, ticket, same)
        return Request(
            id=await self._repository.next_request_id(),
            type=type_.id,
            policy_version=type_.policy_version,
            requester=self._unit.actor,
            approver=approver,
            status=Status.HELD,
            submitted_at=self._unit.now,
            ticket_id=ticket_id,
            subject=ticket.subject if ticket else None,
            fields=stated,
            attempt=_next_attempt(same),
        )

    async def _ticket(self, policy: Policy, ticket_id: str | None) -> Ticket | None:
        if ticket_id is None:
            if policy.ticket_kind is not None:
                raise errors.TicketRequired(policy.type_id, policy.ticket_kind)
            return None
        ticket = await self._unit.get(Ticket, ticket_id)
        if ticket is None:
            raise errors.TicketUnknown(ticket_id)
        if policy.ticket_kind not in (None, ticket.kind):
            raise errors.TicketKindMismatch(ticket.id, ticket.kind, policy.type_id, policy.ticket_kind)
        return ticket

    async def _refuse_approver(
        self, type_: ApprovalType, approver: str, ticket: Ticket | None, same: Iterable[Request]
    ) -> None:
        person = await self._unit.get(Person, approver)
        if person is None:
            raise errors.ApproverUnknown(approver)
        if type_.sod and approver == self._unit.actor:
            raise errors.SeparationOfDuties(type_.id)
        if type_.sod and ticket is not None and approver in (ticket.reporter, ticket.verified_by):
            raise errors.ApproverInvolved(approver, ticket.id)
        if objected := [request for request in same if request.objector == approver]:
            raise errors.SecondApproverRequired(approver, objected[-1].id)
        if person.colleague.is_away(self._unit.now):
            raise errors.ApproverAway(approver, person.away_until)


def _next_attempt(same: Sequence[Request]) -> int:
    for request in same:
        if request.status in OPEN:
            raise errors.DuplicateRequest(request.id, request.status)
    rejected = (request.attempt for request in same if request.status == Status.REJECTED)
    return max(rejected, default=0) + 1


def _refuse_fields(policy: Policy, fields: dict[str, FieldValue]) -> None:
    if unknown := unknown_fields(policy.fields, fields):
        raise errors.FieldUnknown(unknown, policy.fields, policy.type_id)
    if missing := missing_fields(policy.fields, fields):
        raise errors.FieldsMissing(missing, policy.type_id)
    if mistyped := mistyped_fields(policy.fields, fields):
        raise errors.FieldWrongType(mistyped[0])
