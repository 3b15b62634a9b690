"""The events from the other services, and their effects on requests.

Events apply by version, so a late copy of an older event changes nothing. Each event updates one projection
and then the requests that depend on it. Their next state is computed from all projections together, so the
events of one step can arrive in any order. If an object's events arrive out of order, requests end as if they
had arrived in order (see `late`).
"""

from typing import Any

from companyos.chassis import UnitOfWork

from ..domain import AT_APPROVER, Status, Voiding
from ..events import (
    MetricExpired,
    MetricRefreshed,
    PersonAway,
    PersonBack,
    TicketMerged,
    TicketReopened,
    TicketVerified,
)
from ..models import Announcement, Metric, Person, Request, Ticket
from ..repository import ApprovalRepository
from .late import LateNews, pair_in_order
from .lifecycle import Lifecycle


class News:
    """Applies other services' events."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)
        self._lifecycle = Lifecycle(unit)
        self._late = LateNews(unit)

    async def ticket_verified(self, news: TicketVerified) -> None:
        """Hand over the requests that are held for a verified ticket, even if it was reopened since."""
        reported = Ticket(
            news.ticket_id, news.kind, True, news.version, news.subject, news.reporter, news.verified_by
        )
        await self._take_ticket(reported, await self._repository.open_requests_about(reported.id))

    async def ticket_reopened(self, news: TicketReopened) -> None:
        """Void the requests that are based on a revoked verification; held ones wait for a new one."""
        reported = Ticket(news.ticket_id, news.kind, False, news.version, news.subject, news.reporter)
        about = await self._repository.open_requests_about(reported.id)
        resting = [request for request in about if _rests_on(request) < reported.version]
        await self._void_for_reopening(resting, reported.id)
        await self._take_ticket(reported, about)

    async def ticket_merged(self, news: TicketMerged) -> None:
        """Void the open requests about a ticket closed as a duplicate; the other ticket has its own."""
        for request in await self._repository.open_requests_about(news.ticket_id):
            sentence = f"{news.ticket_id} was merged into {news.into}, which stands for both."
            await self._lifecycle.void(request, Voiding.TICKET_MERGED, sentence)

    async def metric_refreshed(self, news: MetricRefreshed) -> None:
        """Void the requests based on another value of a metric, and release those held for a fresh one."""
        reported = Metric(
            news.metric_id, news.name, news.as_of, news.expires_at, news.version, news.subject, news.value
        )
        known = await self._unit.get(Metric, reported.id)
        if known is not None and reported.version == known.version:
            return
        reported.announced_at = self._announce(reported, value=reported.value, expires_at=reported.expires_at)
        if known is not None and reported.version < known.version:
            await self._void_for_metric(await self._late.superseded_requests(known, reported), reported)
            return
        self._unit.add(reported)
        resting = await self._repository.resting_on(reported)
        changed = [request for request in resting if request.evidence["metric_value"] != reported.value]
        await self._void_for_metric(changed, reported)
        await self._reconsider(await self._repository.held_for(reported.name))

    async def metric_expired(self, news: MetricExpired) -> None:
        """Make held requests wait for a fresh metric again; requests already handed over are not affected."""
        metric = await self._unit.get(Metric, news.metric_id)
        if metric is None or news.version != metric.version:
            return
        metric.expires_at = min(metric.expires_at, self._unit.now)
        await self._reconsider(await self._repository.held_for(metric.name))

    async def person_away(self, news: PersonAway) -> None:
        """Record that a person is away; their requests stay with them and can be escalated."""
        person = await self._unit.get(Person, news.person_id)
        if person is not None and news.version > person.version:
            person.away, person.away_until, person.version = True, news.until, news.version

    async def person_back(self, news: PersonBack) -> None:
        """Record that a person is back."""
        person = await self._unit.get(Person, news.person_id)
        if person is not None and news.version > person.version:
            person.away, person.away_until, person.version = False, None, news.version

    async def _take_ticket(self, reported: Ticket, about: list[Request]) -> None:
        known = await self._unit.get(Ticket, reported.id)
        if known is not None and reported.version == known.version:
            return
        reported.announced_at = self._announce(reported, verified=reported.verified)
        is_newest = known is None or reported.version > known.version
        if is_newest:
            self._unit.add(reported)
        pair = pair_in_order(known, reported) if is_newest else await self._late.pair(reported)
        await self._void_for_reopening(
            await self._late.retracted_requests(pair, reported, about), reported.id
        )
        if is_newest:
            await self._reconsider(about)

    def _announce(self, reported: Ticket | Metric, **facts: Any) -> int:
        """Store the announced version for late events, and return when it was announced."""
        at = self._unit.published_at
        self._unit.add(
            Announcement(
                Announcement.key(reported.id, reported.version), reported.id, reported.version, at, **facts
            )
        )
        return at

    async def _void_for_metric(self, requests: list[Request], metric: Metric) -> None:
        sentence = f"{metric.id} has changed since the request was passed to its approver."
        await self._void(requests, Voiding.METRIC_CHANGED, sentence)

    async def _void_for_reopening(self, requests: list[Request], ticket_id: str) -> None:
        await self._void(
            requests,
            Voiding.TICKET_REOPENED,
            f"{ticket_id} was reopened, or returned to its reporter, after its approver had got the request.",
        )

    async def _reconsider(self, requests: list[Request]) -> None:
        for request in requests:
            if request.status == Status.HELD:
                await self._lifecycle.reconsider(request)

    async def _void(self, requests: list[Request], reason: Voiding, sentence: str) -> None:
        for request in requests:
            if request.status in AT_APPROVER:
                await self._lifecycle.void(request, reason, sentence)


def _rests_on(request: Request) -> int:
    """Return the ticket version that a request is based on; 0 if none was known."""
    return request.evidence.get("ticket_version") or 0
