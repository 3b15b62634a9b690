"""The messages of a company under construction, and the answers that its people can give."""

from .. import rows
from ..rows import Row
from ..staff import Person
from ..tables import Tables


class Messages(Tables):
    """Past messages, and the answers that colleagues will give."""

    def add_message(
        self,
        sender: Person | str,
        recipient: Person | str,
        subject: str,
        body: str,
        *,
        age_s: int,
        about: str | None = None,
        thread: str | None = None,
        message_id: str | None = None,
    ) -> Row:
        """Add a message sent `age_s` before the start.

        Args:
            sender: A person or their id, or an address outside the company.
            recipient: A person or their id, or the name of a team, whose members share a mailbox.
            subject: Its subject.
            body: Its text.
            age_s: How long ago it was sent.
            about: Id of the object that it is about.
            thread: Id of the first message of its thread; None: this message.
            message_id: Its id; by default one that reveals nothing about it.
        """
        message_id = message_id or self.numbers.reserve("MSG")
        message = rows.message(message_id, _id(sender), _id(recipient), subject, body)
        message |= {"sent_at": self.start - age_s, "about": about, "thread": thread or message_id}
        return self.add_row("datahub", "messages", message)

    def knows(
        self,
        person: Person | str,
        about: str,
        body: str,
        *,
        delay_s: int,
        question: str | None = None,
        needs: str | None = None,
    ) -> Row:
        """Make a person answer messages about an object; the answer may be right or wrong.

        Args:
            person: The person who answers.
            about: Id of the object.
            body: The answer.
            delay_s: How long they take to answer; an absent person answers on their return.
            question: What they ask before they give the answer.
            needs: Id of the object that a message must be about to answer that question.
        """
        fact = rows.knowledge(_id(person), about, body, delay_s)
        return self.add_row("datahub", "knowledge", {**fact, "question": question, "needs": needs})


def _id(person: Person | str) -> str:
    return person if isinstance(person, str) else person.id
