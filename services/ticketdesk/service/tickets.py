"""The lifecycle of a ticket, from new to closed: each method loads, refuses, changes and records."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from companyos.chassis import ListPage, Permissions, QueryRequired, UnitOfWork

from .. import errors, events
from ..domain import (
    ONCE_VERIFIED,
    REOPENABLE,
    TRANSITIONS,
    Action,
    Approval,
    PermissionId,
    Priority,
    Status,
    awaits_approval,
    missing_fields,
    once_reopened,
    stands_verified,
)
from ..models import Permission, Ticket, TicketKind
from ..repository import TicketDeskRepository
from .threads import Threads

#: The columns of a verification after it was revoked.
_UNVERIFIED: Final[Mapping[str, Any]] = {
    "evidence": None,
    "references": [],
    "verified_by": None,
    "verified_at": None,
}


class TicketDesk:
    """The acts on a ticket over its lifecycle, for one caller in one unit of work.

    Every method may raise `TicketUnknown`. Unless it says otherwise, a method that changes a ticket raises
    `TicketClosed` if the ticket is closed, and `VersionConflict` if the caller's `version` is not the current
    one.
    """

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)
        self._threads = Threads(unit)
        self._permissions = Permissions(unit, Permission)

    async def find(
        self, *, cursor: str | None, limit: int, q: str | None = None, **filters: str | None
    ) -> ListPage[Ticket]:
        """Return a page of the tickets that match every given filter and contain `q` in any spelling, by id.

        Raises:
            KindUnknown: The company has no such kind of ticket.
            QueryEmpty, QueryTooLong: `q` cannot be searched for.
        """
        if filters.get("kind") is not None:
            filters["kind"] = (await self._kind(str(filters["kind"]))).id
        return await self._rows.tickets(filters, q=q, after=cursor, limit=limit)

    async def search(
        self, *, cursor: str | None, limit: int, q: str | None, **filters: str | None
    ) -> ListPage[Ticket]:
        """Return a page of tickets like `find`, for at least one criterion.

        Raises:
            QueryRequired: There is neither a text nor a filter.
        """
        if q is None and all(value is None for value in filters.values()):
            raise QueryRequired(tuple(filters))
        return await self.find(cursor=cursor, limit=limit, q=q, **filters)

    async def get(self, ticket_id: str) -> Ticket:
        """Return a ticket."""
        return await self._rows.ticket(ticket_id)

    async def create(
        self,
        kind: str,
        *,
        title: str,
        description: str,
        subject: str | None = None,
        priority: Priority | None = None,
        blocks: str | None = None,
    ) -> Ticket:
        """Create a ticket in the caller's name; with `blocks`, as a new blocker of that ticket.

        Raises:
            NotBlockable: The ticket to block is finished or returned.
            KindUnknown: The company has no such kind of ticket.
            PriorityNotAllowed: The rules of the kind do not allow this priority.
        """
        blocked = await self._rows.open_ticket(blocks, field="blocks") if blocks else None
        known = await self._kind(kind)
        _refuse_priority(known, priority)

        ticket = Ticket(
            id=await self._rows.next_ticket_id(),
            kind=known.id,
            title=title,
            description=description,
            status=Status.NEW,
            reporter=self._unit.actor,
            requires_approval=known.needs_approval,
            created_at=self._unit.now,
            updated_at=self._unit.now,
            priority=priority,
            subject=subject,
        )
        await self._rows.write_history(ticket, Action.CREATED, [("status", None, ticket.status)])
        self._unit.add(ticket)
        if blocked is not None:
            await self._threads.block(blocked, ticket)
        return ticket

    async def update(
        self,
        ticket_id: str,
        *,
        title: str | None = None,
        description: str | None = None,
        priority: Priority | None = None,
        cost_centre: str | None = None,
        subject: str | None = None,
        version: int | None = None,
    ) -> Ticket:
        """Set fields of a ticket; None leaves a field unchanged.

        Raises:
            NothingToChange: Every field is None.
            PriorityNotAllowed: The rules of the ticket's kind do not allow this priority.
            SubjectVerified: The ticket was verified with another subject.
        """
        fields = {
            "title": title,
            "description": description,
            "priority": priority,
            "cost_centre": cost_centre,
            "subject": subject,
        }
        given = {name: value for name, value in fields.items() if value is not None}
        if not given:
            raise errors.NothingToChange(fields)
        ticket = await self._rows.open_ticket(ticket_id, version)
        if priority is not None:
            _refuse_priority(await self._kind(ticket.kind), priority)
        _refuse_subject(ticket, subject)

        await self._rows.change(ticket, Action.UPDATED, **given)
        return ticket

    async def assign(self, ticket_id: str, assignee: str, version: int | None = None) -> Ticket:
        """Assign a ticket to an active person.

        Raises:
            PersonUnknown, PersonInactive: The person cannot be assigned.
        """
        ticket = await self._rows.open_ticket(ticket_id, version)
        person = await self._rows.person(assignee)
        if person is None:
            raise errors.PersonUnknown(assignee)
        if not person.active:
            raise errors.PersonInactive(assignee)

        await self._rows.change(ticket, Action.ASSIGNED, assignee=assignee)
        return ticket

    async def transition(
        self, ticket_id: str, to: Status, *, reason: str, version: int | None = None
    ) -> Ticket:
        """Move a ticket along the transitions of plain work: triage, in_progress, done.

        Work that begins without the check that is due after a blocker revokes the earlier verification.

        Raises:
            TransitionNotAllowed: The ticket cannot move from its status to this one, or needs another tool to
                do so.
            ApprovalRequired: Work on it is not approved yet.
        """
        ticket = await self._rows.open_ticket(ticket_id, version)
        if to not in TRANSITIONS[ticket.status]:
            raise errors.TransitionNotAllowed(ticket.status, to)
        if awaits_approval(to, requires_approval=ticket.requires_approval, approval=ticket.approval):
            raise errors.ApprovalRequired(ticket.id, ticket.approval)

        revoked = _UNVERIFIED if _is_stale(ticket) and to == Status.IN_PROGRESS else {}
        await self._rows.change(ticket, Action.TRANSITIONED, reason=reason, status=to, **revoked)
        if revoked:
            self._tell_of_reopening(ticket)
        return ticket

    async def verify(
        self, ticket_id: str, *, evidence: str, references: Sequence[str], version: int | None = None
    ) -> Ticket:
        """Record that the caller has checked a ticket's facts; approvals may wait for this.

        A closed ticket can also be verified, because other tickets may be blocked on it.

        Raises:
            PermissionRequired: The caller lacks the permission to verify tickets.
            SeparationOfDuties: The caller reported the ticket.
            RoleNotAllowed: The rules of its kind name other roles.
            TicketBlocked, TicketReturned, AlreadyVerified: Its status does not allow it.
            TicketIncomplete: A required field is empty.
        """
        await self._permissions.require(PermissionId.VERIFY_TICKETS, along=(Ticket, ticket_id))
        ticket = await self._rows.ticket(ticket_id, version)
        kind = await self._kind(ticket.kind)
        self._refuse_verifier(ticket, kind)
        self._refuse_unverifiable(ticket, kind)

        await self._rows.change(
            ticket,
            Action.VERIFIED,
            status=ONCE_VERIFIED[ticket.status],
            evidence=evidence,
            references=list(dict.fromkeys(references)),
            verified_by=self._unit.actor,
            verified_at=self._unit.now,
        )
        self._unit.record(
            events.TicketVerified(
                ticket_id=ticket.id,
                kind=ticket.kind,
                subject=ticket.subject,
                reporter=ticket.reporter,
                verified_by=self._unit.actor,
                version=ticket.version,
            )
        )
        return ticket

    async def reopen(self, ticket_id: str, *, reason: str, version: int | None = None) -> Ticket:
        """Move a ticket back to triage, which revokes its verification and its approval.

        Raises:
            NotReopenable: It is not returned, verified, in progress or done, and was never verified.
        """
        ticket = await self._rows.open_ticket(ticket_id, version)
        if ticket.status not in REOPENABLE and not _is_stale(ticket):
            raise errors.NotReopenable(ticket.status)

        await self._rows.change(
            ticket,
            Action.REOPENED,
            reason=reason,
            status=once_reopened(ticket.blocked_by),
            **_UNVERIFIED,
            approval=Approval.NONE,
        )
        self._tell_of_reopening(ticket)
        return ticket

    async def close(self, ticket_id: str, *, resolution: str, version: int | None = None) -> Ticket:
        """Close a ticket permanently."""
        ticket = await self._rows.open_ticket(ticket_id, version)

        await self._rows.change(ticket, Action.CLOSED, status=Status.CLOSED, resolution=resolution)
        self._unit.record(events.TicketClosed(ticket_id=ticket.id, resolution=resolution))
        return ticket

    async def rules(self, kind: str) -> dict[str, Any]:
        """Return the company's requirements for tickets of a kind, and the existing kinds.

        Raises:
            KindUnknown: The company has no such kind of ticket.
        """
        found = await self._kind(kind)
        return {**vars(found), "all_kinds": [one.id for one in await self._rows.kinds()]}

    async def _kind(self, kind: str) -> TicketKind:
        """Return a kind of ticket, ignoring case."""
        if (found := await self._rows.kind(kind)) is not None:
            return found
        kinds = {one.id.casefold(): one for one in await self._rows.kinds()}
        if kind.casefold() not in kinds:
            raise errors.KindUnknown(kind, [one.id for one in kinds.values()])
        return kinds[kind.casefold()]

    def _tell_of_reopening(self, ticket: Ticket) -> None:
        """Announce that a ticket's verification was revoked, on which approvals may rest."""
        self._unit.record(
            events.TicketReopened(
                ticket_id=ticket.id,
                kind=ticket.kind,
                subject=ticket.subject,
                reporter=ticket.reporter,
                version=ticket.version,
            )
        )

    def _refuse_verifier(self, ticket: Ticket, kind: TicketKind) -> None:
        if self._unit.actor == ticket.reporter:
            raise errors.SeparationOfDuties(ticket.id)
        if self._unit.role not in kind.verifier_roles:
            raise errors.RoleNotAllowed(ticket.kind, self._unit.role, kind.verifier_roles)

    def _refuse_unverifiable(self, ticket: Ticket, kind: TicketKind) -> None:
        if ticket.status == Status.BLOCKED or ticket.blocked_by:
            raise errors.TicketBlocked(ticket.id, ticket.blocked_by)
        if ticket.status == Status.RETURNED:
            raise errors.TicketReturned(ticket.id)
        if stands_verified(ticket.status, ticket.verified_by):
            raise errors.AlreadyVerified(ticket.id, ticket.verified_by)
        if missing := missing_fields(kind.required_fields, vars(ticket)):
            raise errors.TicketIncomplete(missing)


def _is_stale(ticket: Ticket) -> bool:
    """Say whether a ticket was verified and then blocked, so that its facts have to be checked again."""
    return ticket.verified_by is not None and not stands_verified(ticket.status, ticket.verified_by)


def _refuse_priority(kind: TicketKind, priority: Priority | None) -> None:
    if priority is not None and priority not in kind.allowed:
        raise errors.PriorityNotAllowed(kind.id, kind.allowed)


def _refuse_subject(ticket: Ticket, subject: str | None) -> None:
    is_verified = stands_verified(ticket.status, ticket.verified_by) or _is_stale(ticket)
    if subject not in (None, ticket.subject) and is_verified:
        raise errors.SubjectVerified(ticket.id, ticket.subject)
