"""Messages: a person's mailbox, their messages to colleagues, and the colleagues' answers."""

from companyos.chassis import ListPage, UnitOfWork

from .. import domain as people
from ..errors import PersonUnknown
from ..models import Person, Receipt
from ..repository import DataHubRepository
from ..service import keep_receipt, receipt_id
from . import domain
from .errors import MessageToOneself, MessageUnknown
from .events import AnswerMessage
from .models import Knowledge, Message
from .repository import mailbox, written_about
from .schemas import MessageLine


class Messages:
    """The rules of messages, in one unit of work."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    async def page(
        self, *, q: str | None, about: str | None, sender: str | None, cursor: str | None, limit: int
    ) -> ListPage[MessageLine]:
        """Return a page of the caller's messages, newest first, each with whether the caller has read it."""
        found = await mailbox(
            self._unit, await self._mailboxes(), q=q, about=about, sender=sender, cursor=cursor, limit=limit
        )
        await self._unit.fetch(*((Receipt, receipt_id(self._unit, message)) for message in found.items))
        return ListPage([await self._line(message) for message in found.items], found.total)

    async def read(self, message_id: str) -> Message:
        """Return one of the caller's messages, and store a receipt that they read it.

        Raises:
            MessageUnknown: No such message in this world, or not to or from the caller.
        """
        message = await self._unit.get(Message, message_id)
        if message is None or not {message.sender, message.recipient} & {*await self._mailboxes()}:
            raise MessageUnknown(message_id)
        await keep_receipt(self._unit, message)
        return message

    async def write(self, *, to: str, about: str, body: str) -> Message:
        """Send a message to a colleague, who answers after a while.

        Raises:
            PersonUnknown: No such person in this world.
            MessageToOneself: The caller is the recipient.
        """
        if await self._unit.get(Person, to) is None:
            raise PersonUnknown(to, field="to")
        if to == self._unit.actor:
            raise MessageToOneself
        mentioned = {*await written_about(self._unit, sender=self._unit.actor, recipient=to), about}
        fact = domain.fact_asked_for(await self._known_to(to), about, mentioned)

        message = await self._send(self._unit.actor, to, domain.subject_line(about), body, about)
        due_at = self._unit.now + domain.delay(fact)
        self._unit.schedule(AnswerMessage(message_id=message.id), at=due_at, id=f"answer:{message.id}")
        return message

    async def answer(self, message_id: str) -> None:
        """Send the recipient's answer to a message now or, if they are away, on their return."""
        asked = await self._unit.get(Message, message_id)
        if asked is None or asked.about is None:
            return
        absences = await DataHubRepository(self._unit).absences(asked.recipient)
        if (back_at := people.away_until(absences, self._unit.now)) is not None:
            self._unit.schedule(AnswerMessage(message_id=message_id), at=back_at, id=f"answer:{message_id}")
            return
        mentioned = await written_about(self._unit, sender=asked.sender, recipient=asked.recipient)
        fact = domain.fact_asked_for(await self._known_to(asked.recipient), asked.about, mentioned)
        body = domain.answer(fact, asked.about, mentioned)
        subject = domain.reply_line(asked.subject)
        await self._send(asked.recipient, asked.sender, subject, body, asked.about, thread=asked.thread)

    async def _mailboxes(self) -> list[str]:
        """Return the caller's own mailbox and that of their team."""
        person = await self._unit.get(Person, self._unit.actor)
        return [self._unit.actor, *([person.team] if person else [])]

    async def _known_to(self, person_id: str) -> list[Knowledge]:
        return await self._unit.all(Knowledge, person=person_id)

    async def _line(self, message: Message) -> MessageLine:
        receipt = await self._unit.get(Receipt, receipt_id(self._unit, message))
        return MessageLine(**{**vars(message), "is_read": receipt is not None})

    async def _send(
        self, sender: str, recipient: str, subject: str, body: str, about: str, *, thread: str | None = None
    ) -> Message:
        message_id = await self._unit.next_id(Message, "MSG-", width=4)
        message = Message(
            id=message_id,
            thread=thread or message_id,
            sender=sender,
            recipient=recipient,
            sent_at=self._unit.now,
            subject=subject,
            body=body,
            about=about,
        )
        self._unit.add(message)
        return message
