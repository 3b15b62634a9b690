"""Late news: what a verification or a figure would have done to requests, had it been heard of in its order.

News of an object that is older than what is known changes nothing of the object. But a request may have met it, had it
come in time, and then have ended by what came next: it ends so now. What came when is told by versions and by when news
was announced on the world's clock, never by what a publisher writes of its times.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from companyos.chassis import UnitOfWork

from ..domain import AT_APPROVER, OPEN, Status
from ..models import Figure, Request, Ticket
from ..repository import ApprovalRepository
from .lifecycle import Lifecycle

Line = dict[str, Any]


def heard_of(heard: Sequence[Line], line: Line) -> list[Line]:
    """Return what was heard of an object with a line more, by version."""
    others = [other for other in heard if other["version"] != line["version"]]
    return sorted([*others, line], key=lambda one: int(one["version"]))


class LateNews:
    """Finds the requests that older news would have brought to an end."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)
        self._lifecycle = Lifecycle(unit)

    async def retracted(self, ticket: Ticket, told: Ticket, about: Sequence[Request]) -> list[Request]:
        """Return the requests that a verification would have released before it was taken back.

        Args:
            ticket: The ticket as known now.
            told: The verification, or the reopening that took it back, of which was heard just now.
            about: The requests about it that are not decided.
        """
        pair = _pair(ticket.heard, told.version)
        if pair is None:
            return []
        verified, reopened = pair
        as_of = Ticket(told.id, told.kind, True, verified["version"], told.subject)
        made = [
            request for request in about if request.status in OPEN and request.submitted_at < reopened["at"]
        ]
        return [request for request in made if await self._had_met(request, as_of, reopened)]

    async def superseded(self, figure: Figure, told: Figure) -> list[Request]:
        """Return the requests that would have been handed over on an older value before another came.

        Args:
            figure: The figure as known now.
            told: The older value, of which was heard just now.
        """
        later = next((one for one in figure.heard if _replaces(one, told)), None)
        if later is None:
            return []
        resting = await self._repository.resting_on(figure)
        return [request for request in resting if await self._was_ready(request, told, later)]

    async def _had_met(self, request: Request, as_of: Ticket, reopened: Line) -> bool:
        facts = await self._lifecycle.facts(request)
        figure = facts.figure
        if figure is not None and _since(figure.heard, figure.version) > reopened["at"]:
            return False
        if request.status == Status.HELD:
            return await self._lifecycle.release(request, as_of)
        rests_on = int(request.evidence.get("ticket_version") or 0)
        return bool(request.status in AT_APPROVER and rests_on > as_of.version)

    async def _was_ready(self, request: Request, told: Figure, later: Line) -> bool:
        if request.evidence["metric_version"] < later["version"]:
            return False
        ticket = await self._unit.get(Ticket, request.ticket_id) if request.ticket_id else None
        verified_at = 0 if ticket is None else _since(ticket.heard, request.evidence["ticket_version"])
        ready_at = max(request.submitted_at, verified_at, self._unit.published_at)
        return bool(ready_at < min(later["at"], told.expires_at))


def _pair(heard: Sequence[Line], version: int) -> tuple[Line, Line] | None:
    """Return the verification and the reopening after it, one of which has this version."""
    for verified, reopened in pairwise(heard):
        is_pair = verified["verified"] and not reopened["verified"]
        if is_pair and version in (verified["version"], reopened["version"]):
            return verified, reopened
    return None


def _replaces(later: Line, told: Figure) -> bool:
    return bool(later["version"] > told.version and later["value"] != told.value)


def _since(heard: Sequence[Line], version: int) -> int:
    """Return when a version was announced; 0 where the company began with it."""
    return next((int(one["at"]) for one in heard if one["version"] == version), 0)
