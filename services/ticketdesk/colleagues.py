"""Colleagues: other people act on tickets at their own times, as the rows of intentions say."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Any, ClassVar, Final

from companyos.chassis import Area, Due, Reactions, UnitOfWork, acting_as, world_table

from .domain import Action, Priority, Status
from .models import HistoryLine, Ticket, metadata
from .repository import TicketDeskRepository
from .service import Answers, Threads, TicketDesk

#: The history lines of a ticket on which nobody has worked yet.
_BY_ITSELF: Final = frozenset({Action.CREATED, Action.BREACHED})


class IntendedAct(StrEnum):
    """What other people can intend to do about a ticket."""

    TAKE = "take"
    ANSWER = "answer"
    WRITE = "write"


def is_untouched(
    status: Status, priority: Priority | None, assignee: str | None, actions: Iterable[Action]
) -> bool:
    """Say whether nobody has worked on a ticket yet, so that a colleague may take it.

    Args:
        status: The ticket's status.
        priority: Its priority, which somebody decided if it has one.
        assignee: Its assignee.
        actions: The acts in its history.
    """
    is_new = status == Status.NEW and priority is None and assignee is None
    return is_new and _BY_ITSELF.issuperset(actions)


@world_table(metadata, "intentions", hidden=True)
class Intention:
    """What a person is going to do about a ticket.

    Attributes:
        at: When they do it, unless the state of the ticket keeps them from it.
        act: `take`: they assign the ticket to themselves if nobody has worked on it; `answer`: they answer it
            if it is assigned to them; `write`: they comment on it.
        text: Their answer or their comment.
        documents: Ids of the documents that go with their answer.
    """

    id: str
    ticket_id: str
    person: str
    at: int
    act: IntendedAct
    text: str = ""
    documents: list[str] = field(default_factory=list)


class CarryOut(Due):
    """An intention is due."""

    NAME: ClassVar[str] = "carry_out"

    intention_id: str


class Colleagues:
    """Carries out intentions in one unit of work; skips what the ticket no longer allows."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._rows = TicketDeskRepository(unit)

    async def carry_out(self, intention_id: str) -> None:
        """Do what somebody intends to do, in their name."""
        intention = await self._unit.get(Intention, intention_id)
        ticket = None if intention is None else await self._rows.find_ticket(intention.ticket_id)
        if intention is None or ticket is None:
            return
        with acting_as(intention.person, self._unit):
            if intention.act == IntendedAct.TAKE:
                await self._take(ticket, intention.person)
            elif intention.act == IntendedAct.ANSWER:
                await self._answer(ticket, intention)
            else:
                await Threads(self._unit).comment(ticket.id, intention.text)

    async def _take(self, ticket: Ticket, person_id: str) -> None:
        """Assign a ticket to a colleague who is still there, if nobody has worked on it."""
        person = await self._rows.person(person_id)
        actions = [line.action for line in await self._rows.parts(HistoryLine, ticket.id)]
        is_free = is_untouched(ticket.status, ticket.priority, ticket.assignee, actions)
        if is_free and person is not None and person.active:
            await TicketDesk(self._unit).assign(ticket.id, person_id)

    async def _answer(self, ticket: Ticket, intention: Intention) -> None:
        """Answer a ticket that is still the colleague's."""
        if ticket.assignee == intention.person and ticket.status != Status.CLOSED:
            answers = Answers(self._unit)
            await answers.answer(ticket.id, body=intention.text, document_ids=intention.documents)


reactions = Reactions()


@reactions.due(CarryOut)
async def carry_out_intention(due: CarryOut, unit: UnitOfWork) -> None:
    await Colleagues(unit).carry_out(due.intention_id)


def derive_due(rows: Mapping[str, Sequence[Any]], start: int) -> Iterable[tuple[Due, int, str]]:
    """Yield the intentions that are due after the start."""
    for intention in rows["intentions"]:
        if intention.at > start:
            yield CarryOut(intention_id=intention.id), intention.at, f"intention:{intention.id}"


AREA = Area(routers=[], reactions=reactions, derive=derive_due)
