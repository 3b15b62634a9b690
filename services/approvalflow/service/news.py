"""What reaches ApprovalFlow from the other services, and which requests it moves.

News is applied by version, so a late copy of something older changes nothing. Each piece touches one projection
and then the requests that depend on it, whose next state follows from all projections together: pieces of one step
can arrive in any order. Where news of one object is heard of out of its order, requests end as if it had come in time
(`late`).
"""

from companyos.chassis import UnitOfWork

from ..domain import AT_APPROVER, Status, Voiding
from ..events import MetricExpired, MetricRefreshed, PersonAway, PersonBack, TicketReopened, TicketVerified
from ..models import Figure, Person, Request, Ticket
from ..repository import ApprovalRepository
from .late import LateNews, heard_of
from .lifecycle import Lifecycle


class News:
    """Takes in what others announce."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)
        self._lifecycle = Lifecycle(unit)
        self._late = LateNews(unit)

    async def ticket_verified(self, news: TicketVerified) -> None:
        """A ticket has been verified: requests held for it go on, even where that has been taken back since."""
        told = Ticket(
            news.ticket_id, news.kind, True, news.version, news.subject, news.reporter, news.verified_by
        )
        await self._take_ticket(told, await self._repository.open_requests_about(told.id))

    async def ticket_reopened(self, news: TicketReopened) -> None:
        """A verification was taken back: requests resting on it are void, held ones wait for a new one."""
        told = Ticket(news.ticket_id, news.kind, False, news.version, news.subject, news.reporter)
        about = await self._repository.open_requests_about(told.id)
        resting = [request for request in about if _rests_on(request) < told.version]
        await self._void_for_reopening(resting, told.id)
        await self._take_ticket(told, about)

    async def metric_refreshed(self, news: MetricRefreshed) -> None:
        """A figure is new: requests that rest on another value are void, those held for a fresh one go on."""
        told = Figure(
            news.metric_id, news.name, news.as_of, news.expires_at, news.version, news.subject, news.value
        )
        known = await self._unit.get(Figure, told.id)
        if known is not None and told.version == known.version:
            return
        at = self._unit.published_at
        line = {"version": told.version, "value": told.value, "at": at, "expires_at": told.expires_at}
        heard = heard_of(known.heard if known else [], line)
        if known is not None and told.version < known.version:
            known.heard = heard
            await self._void_for_figure(await self._late.superseded(known, told), told)
            return
        told.heard = heard
        self._unit.add(told)
        resting = await self._repository.resting_on(told)
        changed = [request for request in resting if request.evidence["metric_value"] != told.value]
        await self._void_for_figure(changed, told)
        await self._reconsider(await self._repository.held_for(told.name))

    async def metric_expired(self, news: MetricExpired) -> None:
        """A figure is stale: held requests wait for a fresh one again; what was handed over stays so."""
        figure = await self._unit.get(Figure, news.metric_id)
        if figure is None or news.version != figure.version:
            return
        figure.expires_at = min(figure.expires_at, self._unit.now)
        await self._reconsider(await self._repository.held_for(figure.name))

    async def person_away(self, news: PersonAway) -> None:
        """Somebody is away: what lies with them stays there, and can be escalated."""
        person = await self._unit.get(Person, news.person_id)
        if person is not None and news.version > person.version:
            person.away, person.away_until, person.version = True, news.until, news.version

    async def person_back(self, news: PersonBack) -> None:
        """Somebody is here again."""
        person = await self._unit.get(Person, news.person_id)
        if person is not None and news.version > person.version:
            person.away, person.away_until, person.version = False, None, news.version

    async def _take_ticket(self, told: Ticket, about: list[Request]) -> None:
        known = await self._unit.get(Ticket, told.id)
        if known is not None and told.version == known.version:
            return
        line = {"version": told.version, "verified": told.verified, "at": self._unit.published_at}
        heard = heard_of(known.heard if known else [], line)
        is_newest = known is None or told.version > known.version
        if known is None or is_newest:
            self._unit.add(told)
        newest = told if known is None or is_newest else known
        newest.heard = heard
        await self._void_for_reopening(await self._late.retracted(newest, told, about), told.id)
        if is_newest:
            await self._reconsider(about)

    async def _void_for_figure(self, requests: list[Request], figure: Figure) -> None:
        sentence = f"{figure.id} has changed since it was handed over."
        await self._void(requests, Voiding.FIGURE_CHANGED, sentence)

    async def _void_for_reopening(self, requests: list[Request], ticket_id: str) -> None:
        await self._void(
            requests, Voiding.TICKET_REOPENED, f"{ticket_id} was reopened after it had been handed over."
        )

    async def _reconsider(self, requests: list[Request]) -> None:
        for request in requests:
            if request.status == Status.HELD:
                await self._lifecycle.reconsider(request)

    async def _void(self, requests: list[Request], reason: Voiding, sentence: str) -> None:
        for request in requests:
            if request.status in AT_APPROVER:
                await self._lifecycle.void(request, reason, f"{sentence} Submit again on what holds now.")


def _rests_on(request: Request) -> int:
    """Return the version of its ticket that a request rests on; 0 where none was known."""
    return request.evidence.get("ticket_version") or 0
