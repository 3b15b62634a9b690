"""The rule for which tickets can be returned to their reporter."""

from ..domain import Status

#: Statuses in which somebody works on a ticket and may have a question about it.
RETURNABLE = frozenset({Status.NEW, Status.TRIAGE, Status.BLOCKED, Status.VERIFIED, Status.IN_PROGRESS})
