"""The query language for tickets: `field:value` terms and text, all of which must match. Pure.

status:new queue:billing "card declined" answered:no
id:TD-1042,TD-1043
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ..domain import Priority, Status

MOST_IDS: Final = 30
MOST_TEXTS: Final = 3

#: The fields of a query; a field with a fixed set of values lists them.
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "status": tuple(Status),
    "priority": tuple(Priority),
    "answered": ("yes", "no"),
    "queue": (),
    "kind": (),
    "reporter": (),
    "assignee": (),
    "id": (),
}

_TERM: Final = re.compile(r'(?:(?P<field>\w+):)?(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s":]+))(?=\s|$)')


class Malformed(ValueError):
    """The query is not valid; `allowed` are the values that would have been accepted."""

    def __init__(self, reason: str, allowed: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.allowed = allowed


@dataclass
class TicketQuery:
    """A parsed query; every part of it must match.

    Attributes:
        equals: Fields with their values, except `id`.
        ids: Ids, one of which a ticket must have; empty for any.
        texts: Texts that id, title, description or subject must contain, ignoring case.
    """

    equals: dict[str, str] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def add(self, name: str | None, value: str) -> None:
        """Add a term.

        Raises:
            Malformed: The field does not exist, is given twice, or cannot have this value.
        """
        if not value:
            raise Malformed("A term has no value.")
        if name is None:
            self._add_text(value)
        elif name not in FIELDS:
            raise Malformed(f"There is no field {name!r}.", tuple(FIELDS))
        elif name == "id":
            self._add_ids(value)
        else:
            self._add_field(name, value)

    def _add_text(self, value: str) -> None:
        if len(self.texts) == MOST_TEXTS:
            raise Malformed(f"A query has at most {MOST_TEXTS} texts; quote words that belong together.")
        self.texts.append(value)

    def _add_ids(self, value: str) -> None:
        self.ids += [one for one in value.split(",") if one]
        if len(self.ids) > MOST_IDS:
            raise Malformed(f"A query names at most {MOST_IDS} ids.")

    def _add_field(self, name: str, value: str) -> None:
        allowed = FIELDS[name]
        if name in self.equals:
            raise Malformed(f"The field {name} is given twice.")
        if allowed and value.casefold() not in allowed:
            raise Malformed(f"The field {name} has no value {value!r}.", allowed)
        self.equals[name] = value.casefold() if allowed else value


def parsed(text: str) -> TicketQuery:
    """Return the query that a text describes.

    Raises:
        Malformed: It is not a valid query; the message says which part is wrong.
    """
    query, position, rest = TicketQuery(), 0, text.strip()
    while position < len(rest):
        match = _TERM.match(rest, position)
        if match is None:
            raise Malformed(f"This part is no term: {rest[position : position + 30]!r}.")
        value = match["quoted"] if match["quoted"] is not None else match["bare"]
        query.add(match["field"], value.strip())
        position = match.end()
        while position < len(rest) and rest[position].isspace():
            position += 1
    return query
