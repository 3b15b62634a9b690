"""What reaches ApprovalFlow from the other services, and which requests it moves.

News is applied by version, so a late copy of something older changes nothing. Each piece touches one projection
and then the requests that depend on it, whose next state follows from all projections together: pieces of one step
can arrive in any order. Steps follow each other; where a verification is heard of after its reopening all the same,
requests end as if both had come in time.
"""

from companyos.chassis import UnitOfWork

from ..domain import AT_APPROVER, Status, Voiding
from ..events import MetricExpired, MetricRefreshed, PersonAway, PersonBack, TicketReopened, TicketVerified
from ..models import Figure, Person, Request, Ticket
from ..repository import ApprovalRepository
from .lifecycle import Lifecycle


class News:
    """Takes in what others announce."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)
        self._lifecycle = Lifecycle(unit)

    async def ticket_verified(self, news: TicketVerified) -> None:
        """A ticket has been verified: requests held for it go on, even where that has been taken back since."""
        ticket = await self._unit.get(Ticket, news.ticket_id)
        verified = Ticket(
            news.ticket_id, news.kind, True, news.version, news.subject, news.reporter, news.verified_by
        )
        if ticket is None or news.version > ticket.version:
            self._unit.add(verified)
            await self._reconsider(await self._repository.open_requests_about(news.ticket_id))
        elif not ticket.verified and news.version < ticket.version:
            await self._catch_up(verified)

    async def ticket_reopened(self, news: TicketReopened) -> None:
        """A verification was taken back: requests resting on it are void, held ones wait for a new one."""
        ticket = await self._unit.get(Ticket, news.ticket_id)
        if ticket is None:
            return
        about = await self._repository.open_requests_about(news.ticket_id)
        resting = [request for request in about if _rests_on(request) < news.version]
        await self._void_for_reopening(resting, news.ticket_id)
        if news.version > ticket.version:
            ticket.verified, ticket.verified_by, ticket.version = False, None, news.version
            await self._reconsider(about)

    async def metric_refreshed(self, news: MetricRefreshed) -> None:
        """A figure is new: requests that rest on another value are void, those held for a fresh one go on."""
        known = await self._unit.get(Figure, news.metric_id)
        if known is not None and news.version <= known.version:
            return
        figure = Figure(
            news.metric_id, news.name, news.as_of, news.expires_at, news.version, news.subject, news.value
        )
        self._unit.add(figure)
        resting = await self._repository.resting_on(figure)
        changed = [request for request in resting if request.evidence["metric_value"] != figure.value]
        await self._void(
            changed, Voiding.FIGURE_CHANGED, f"{figure.id} has changed since it was handed over."
        )
        await self._reconsider(await self._repository.held_for(figure.name))

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
        if person is not None:
            still_away = person.away_until if person.away else None
            person.away, person.away_until = True, max(news.until, still_away or news.until)

    async def person_back(self, news: PersonBack) -> None:
        """Somebody is here again, unless a longer absence has been announced for them."""
        person = await self._unit.get(Person, news.person_id)
        if person is not None and not _is_known_to_stay_away(person, self._unit.now):
            person.away, person.away_until = False, None

    async def _catch_up(self, verified: Ticket) -> None:
        # What was made later has never met this verification.
        about = await self._repository.open_requests_about(verified.id)
        earlier = [request for request in about if request.submitted_at <= self._unit.now]
        released = [request for request in earlier if await self._lifecycle.release(request, verified)]
        await self._void_for_reopening(released, verified.id)

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


def _is_known_to_stay_away(person: Person, now: int) -> bool:
    return person.away and person.away_until is not None and person.away_until > now
