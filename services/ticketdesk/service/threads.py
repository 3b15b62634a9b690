"""A ticket's links, comments and history."""

from companyos.chassis import ListPage, UnitOfWork

from .. import errors
from ..domain import Action, Approval, LinkKind, is_news
from ..models import Comment, HistoryLine, Link, Ticket
from ..repository import TicketDeskRepository
from .blockers import Blockers


class Threads:
    """Links and comments on tickets, for one caller in one unit of work.

    Every method may raise `TicketUnknown`. Unless it says otherwise, a method that changes a ticket raises
    `TicketClosed` if the ticket is closed, and `VersionConflict` if the caller's `version` is not the current
    one.
    """

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)

    async def comment(self, ticket_id: str, body: str) -> Comment:
        """Comment on a ticket, which may be closed."""
        ticket = await self._rows.ticket(ticket_id)

        comment = Comment(
            id=await self._unit.next_id(Comment, f"{ticket.id}-C"),
            ticket_id=ticket.id,
            author=self._unit.actor,
            body=body,
            created_at=self._unit.now,
        )
        self._unit.add(comment)
        return comment

    async def comments(self, ticket_id: str, *, cursor: str | None, limit: int) -> ListPage[Comment]:
        """Return a page of a ticket's comments, oldest first."""
        ticket = await self._rows.ticket(ticket_id)
        return await self._rows.page_of_parts(Comment, ticket.id, cursor=cursor, limit=limit)

    async def history(self, ticket_id: str, *, cursor: str | None, limit: int) -> ListPage[HistoryLine]:
        """Return a page of a ticket's history, oldest first."""
        ticket = await self._rows.ticket(ticket_id)
        return await self._rows.page_of_parts(HistoryLine, ticket.id, cursor=cursor, limit=limit)

    async def links(self, ticket_id: str, *, cursor: str | None, limit: int) -> ListPage[Link]:
        """Return a page of a ticket's links, oldest first."""
        ticket = await self._rows.ticket(ticket_id)
        return await self._rows.page_of_parts(Link, ticket.id, cursor=cursor, limit=limit)

    async def link(self, ticket_id: str, kind: LinkKind, target: str) -> Link:
        """Link a ticket to another object; a ticket linked as `blocks` becomes a blocker of its target.

        Raises:
            LinkToItself, LinkExists: The link would be meaningless.
            TicketUnknown: A `blocks` or `duplicates` link names no ticket.
            NotBlockable, BlockerCycle: The target cannot wait for this ticket.
        """
        ticket = await self._rows.open_ticket(ticket_id)
        if target == ticket.id:
            raise errors.LinkToItself(ticket.id)
        for known in await self._rows.parts(Link, ticket.id):
            if (known.kind, known.target) == (kind, target):
                raise errors.LinkExists(known.id)

        if kind == LinkKind.BLOCKS:
            return await self.block(await self._rows.open_ticket(target, field="target"), ticket)
        if kind == LinkKind.DUPLICATES:
            await self._rows.ticket(target, field="target")
        return await self._tie(ticket, kind, target)

    async def block(self, ticket: Ticket, blocker: Ticket) -> Link:
        """Block a ticket on another, and link the two.

        Raises:
            NotBlockable, BlockerCycle: The ticket cannot wait for the other one.
        """
        await Blockers(self._unit).block(ticket, blocker)
        return await self._tie(blocker, LinkKind.BLOCKS, ticket.id)

    async def follow_request(self, request_id: str, ticket_id: str, outcome: Approval) -> None:
        """Show the outcome of an approval request on its ticket, and link the two.

        Events leave the same rows in any order, because new rows take their ids from the event and never
        depend on earlier content. A request about a ticket that is not in this world is ignored.
        """
        ticket = await self._rows.find_ticket(ticket_id)
        if ticket is None:
            return
        known = await self._rows.requests(ticket.id)
        if is_news(request_id, outcome, known):
            ticket.approval = outcome
        if request_id not in known:
            link_id = f"{ticket.id}-L-{request_id}"
            self._unit.add(Link(link_id, ticket.id, LinkKind.APPROVAL, request_id, self._unit.now))
        self._rows.touch(ticket)

        action = Action.APPROVAL_REQUESTED if outcome == Approval.PENDING else Action.APPROVAL_DECIDED
        line_id = f"{ticket.id}-H-{request_id}-{outcome}"
        self._rows.add_line(line_id, ticket, action, ("approval", None, outcome))

    async def _tie(self, ticket: Ticket, kind: LinkKind, target: str) -> Link:
        link_id = await self._unit.next_id(Link, f"{ticket.id}-L")
        link = Link(link_id, ticket.id, kind, target, self._unit.now)
        self._unit.add(link)
        await self._rows.write_history(ticket, Action.LINKED, [(kind, None, target)])
        return link
