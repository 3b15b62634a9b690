"""The tables of messages and of colleagues' knowledge."""

from companyos.chassis import world_table

from ..models import metadata


@world_table(
    metadata,
    "messages",
    indexes=[("recipient",), ("sender",)],
    maintained=("thread", "sender", "sent_at"),
)
class Message:
    """A message, which never changes.

    Attributes:
        thread: Id of the first message of its thread.
        sender: Person id, or an address outside the company.
        recipient: Person id, or the name of a team whose members share a mailbox.
        about: Id of the object that it is about.
    """

    id: str
    thread: str
    sender: str
    recipient: str
    sent_at: int
    subject: str
    body: str
    about: str | None = None

    @property
    def version(self) -> int:
        """Always 1, because receipts need a version and messages never change."""
        return 1


@world_table(metadata, "knowledge", indexes=[("person",)], hidden=True)
class Knowledge:
    """What a person knows about an object, right or wrong. Only the person's answers show it.

    Attributes:
        about: Id of the object.
        delay_s: How long they take to answer.
        question: What they ask before they answer; None: nothing.
        needs: Id of the object that a message must be about to answer the question.
    """

    id: str
    person: str
    about: str
    body: str
    delay_s: int
    question: str | None = None
    needs: str | None = None
