"""The rules by which other people act on tickets. Everything here is pure."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from ..domain import Action, Priority, Status

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
