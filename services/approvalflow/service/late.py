"""Late events, which affect requests as if they had arrived in order.

An event older than an object's known version does not change the object. But in order, the older version
might have released a request that the newer one then voided; such a request is voided now. The order is
derived from versions and from announcement times on the world's clock, never from times that a publisher
writes.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from companyos.chassis import UnitOfWork

from ..domain import AT_APPROVER, OPEN, Status
from ..models import Announcement, Metric, Request, Ticket
from ..repository import ApprovalRepository
from .lifecycle import Lifecycle


class Pair(NamedTuple):
    """A verification, by its version, and the reopening that revoked it, by the time of its announcement."""

    verified_version: int
    reopened_at: int


def pair_in_order(known: Ticket | None, reported: Ticket) -> Pair | None:
    """Return the pair that the newest event forms with the known version, without reading older events."""
    if known is None or known.announced_at is None or reported.announced_at is None:
        return None
    return Pair(known.version, reported.announced_at) if known.verified and not reported.verified else None


class LateNews:
    """Finds the requests that would have ended if an older event had arrived in order."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)
        self._lifecycle = Lifecycle(unit)

    async def pair(self, reported: Ticket) -> Pair | None:
        """Return the pair of verification and reopening that this older event belongs to, or None."""
        for verified, reopened in pairwise(await self._repository.announcements(reported.id)):
            is_pair = verified.verified and not reopened.verified
            if is_pair and reported.version in (verified.version, reopened.version):
                return Pair(verified.version, reopened.at)
        return None

    async def retracted_requests(
        self, pair: Pair | None, reported: Ticket, about: Sequence[Request]
    ) -> list[Request]:
        """Return the requests that a verification would have released before it was revoked.

        Args:
            pair: The verification and its reopening; None if the event belongs to no pair.
            reported: The version of the ticket in the event.
            about: The undecided requests about the ticket.
        """
        if pair is None:
            return []
        as_of = Ticket(reported.id, reported.kind, True, pair.verified_version, reported.subject)
        made = [
            request for request in about if request.status in OPEN and request.submitted_at < pair.reopened_at
        ]
        return [request for request in made if await self._had_met(request, as_of, pair)]

    async def superseded_requests(self, metric: Metric, reported: Metric) -> list[Request]:
        """Return the requests that would have been handed over on an older value before a newer one arrived.

        Args:
            metric: The metric as known now.
            reported: The metric with the older value, from the event.
        """
        announced = await self._repository.announcements(metric.id)
        later = next((one for one in announced if _replaces(one, reported)), None)
        if later is None:
            return []
        resting = await self._repository.resting_on(metric)
        return [request for request in resting if await self._was_ready(request, reported, later)]

    async def _had_met(self, request: Request, as_of: Ticket, pair: Pair) -> bool:
        facts = await self._lifecycle.facts(request)
        metric = facts.metric
        if metric is not None and (metric.announced_at or 0) > pair.reopened_at:
            return False
        if request.status == Status.HELD:
            return await self._lifecycle.release(request, as_of)
        rests_on = int(request.evidence.get("ticket_version") or 0)
        return bool(request.status in AT_APPROVER and rests_on > as_of.version)

    async def _was_ready(self, request: Request, reported: Metric, later: Announcement) -> bool:
        if request.evidence["metric_version"] < later.version:
            return False
        verified_at = await self._verified_at(request)
        ready_at = max(request.submitted_at, verified_at, self._unit.published_at)
        return bool(ready_at < min(later.at, reported.expires_at))

    async def _verified_at(self, request: Request) -> int:
        """Return when a request's verification was announced; 0 if it existed from the start."""
        version = request.evidence.get("ticket_version")
        if not request.ticket_id or version is None:
            return 0
        key = Announcement.key(request.ticket_id, version)
        announced = await self._unit.get(Announcement, key)
        return 0 if announced is None else announced.at


def _replaces(later: Announcement, reported: Metric) -> bool:
    return bool(later.version > reported.version and later.value != reported.value)
