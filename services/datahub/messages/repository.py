"""The queries for messages, except lookups of one by its id."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Final

from sqlalchemy import ARRAY, Text, any_, bindparam, func, select

from companyos.chassis import ListPage, PagedQuery, UnitOfWork, found_in, live, substring_pattern

from .models import Message

_MESSAGES = live(Message)
_MAILBOXES: Final = bindparam("mailboxes", type_=ARRAY(Text))
#: The sort key of messages: the time and, for equal times, the id.
_PLACE: Final = func.concat(func.to_char(_MESSAGES.c.sent_at, "FM000000000000"), " ", _MESSAGES.c.id).collate(
    "C"
)
#: Sorts, downwards, before every message.
_BEFORE_ALL: Final = "~"


async def mailbox(
    unit: UnitOfWork,
    mailboxes: Sequence[str],
    *,
    q: str | None,
    about: str | None,
    sender: str | None,
    cursor: str | None,
    limit: int,
) -> ListPage[Message]:
    """Return a page of messages to or from mailboxes, newest first; subject or text must contain `q`."""
    last = await unit.row_of_cursor(cursor, Message)
    end = _BEFORE_ALL if last is None else f"{last.sent_at:012d} {last.id}"
    pattern = None if q is None else substring_pattern(q)
    wanted = {"about": about, "sender": sender, "q": pattern}
    given = {name: value for name, value in wanted.items() if value is not None}
    query = _in_mailboxes(frozenset(given))
    return await unit.find_page(query, after=cursor, limit=limit, end=end, mailboxes=list(mailboxes), **given)


async def written_about(unit: UnitOfWork, *, sender: str, recipient: str) -> Collection[str]:
    """Return the objects that one person has written to another about."""
    sent = await unit.all(Message, sender=sender, recipient=recipient)
    return {message.about for message in sent if message.about is not None}


@cache
def _in_mailboxes(given: frozenset[str]) -> PagedQuery[Message]:
    columns = _MESSAGES.c
    statement = select(_MESSAGES).where(
        (columns.recipient == any_(_MAILBOXES)) | (columns.sender == any_(_MAILBOXES))
    )
    for name in sorted(given - {"q"}):
        statement = statement.where(columns[name] == bindparam(name, type_=Text))
    if "q" in given:
        statement = statement.where(found_in([columns.subject, columns.body], "q"))
    return PagedQuery(statement, Message, after=bindparam("end", type_=Text) > _PLACE, order=[_PLACE.desc()])
