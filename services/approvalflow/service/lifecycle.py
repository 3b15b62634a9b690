"""The lifecycle of a request: how it is held, handed over, decided, expired or voided."""

from dataclasses import dataclass

from companyos.chassis import UnitOfWork
from companyos.sdk.simtime import to_iso

from .. import wording
from ..chains import barred_from, may_decide
from ..decisions import Attempt, Outcome, PendingRequest, Verdict, decide, open_objection
from ..domain import (
    AT_APPROVER,
    OPEN,
    Action,
    Status,
    Voiding,
    Waiting,
    amount_of,
    is_fresh,
    role_for,
    stated_metric,
    waits_for,
)
from ..events import ApprovalDecided, BudgetConsumed, DecideRequest, ExpireRequest
from ..models import ApprovalType, Metric, Person, QuarantinedMetric, Request, Ticket
from ..repository import ApprovalRepository
from .audit import Audit
from .catalog import Catalog


@dataclass(frozen=True)
class Facts:
    """The facts that the rules apply to a request."""

    type_: ApprovalType
    ticket: Ticket | None
    metric: Metric | None

    def missing(self, now: int) -> list[Waiting]:
        """Return the missing facts that the policy requires."""
        metric = self.metric
        return waits_for(
            self.type_.policy,
            ticket_is_verified=self.ticket is not None and self.ticket.verified,
            metric_is_fresh=metric is not None and is_fresh(metric.value, metric.expires_at, now),
        )

    def evidence(self) -> dict[str, str | int | float | None]:
        """Return the evidence to pin when a request goes to its approver."""
        return {
            "ticket_version": self.ticket.version if self.ticket else None,
            "metric_id": self.metric.id if self.metric else None,
            "metric_version": self.metric.version if self.metric else None,
            "metric_value": self.metric.value if self.metric else None,
        }


class Lifecycle:
    """Moves requests through their statuses as facts and the clock allow."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit
        self._repository = ApprovalRepository(unit)
        self._audit = Audit(unit)

    async def facts(self, request: Request, ticket: Ticket | None = None) -> Facts:
        """Return the facts that the rules apply to a request, with the given ticket or the known one.

        A request takes its subject from its ticket, which may become known later than the request.
        """
        type_ = await self._type(request)
        if ticket is None and request.ticket_id:
            ticket = await self._unit.get(Ticket, request.ticket_id)
        name, subject = type_.metric_name, ticket.subject if ticket else request.subject
        return Facts(type_, ticket, await self._repository.metric(name, subject) if name else None)

    async def enter(self, request: Request, facts: Facts) -> None:
        """Start a new request: hand it to its approver, or hold it while facts are missing."""
        await self._weigh(request, facts)
        if request.status == Status.HELD:
            await self._audit.note(request, Action.HELD, f"Waits until {await self.wants(request)}.")
        if request.status not in OPEN:
            return
        expires_at = self._unit.now + facts.type_.expires_s
        self._unit.schedule(ExpireRequest(request_id=request.id), at=expires_at, id=_expiry(request))

    async def reconsider(self, request: Request) -> None:
        """Hand over a held request if it lacks nothing, or update what it waits for."""
        await self._weigh(request, await self.facts(request))

    async def release(self, request: Request, ticket: Ticket) -> bool:
        """Hand over a held request if it lacks nothing, given this ticket; say whether it was handed over."""
        facts = await self.facts(request, ticket)
        is_due = request.status == Status.HELD and not facts.missing(self._unit.now)
        if is_due:
            await self._hand_over(request, facts)
        return is_due

    async def wants(self, request: Request) -> str:
        """Describe what a held request waits for."""
        policy = (await self._type(request)).policy
        facts = [Waiting(fact) for fact in request.waiting_for]
        return wording.wants(facts, policy=policy, ticket_id=request.ticket_id, subject=request.subject)

    async def explain(self, request: Request) -> str:
        """Describe a request's status and the possible next acts."""
        approver = await self._unit.get(Person, request.approver)
        is_away = approver is not None and approver.colleague.is_away(self._unit.now)
        return wording.explained(
            Status(request.status),
            approver=request.approver,
            wants=await self.wants(request) if request.status == Status.HELD else "",
            due=request.decision_due,
            away=wording.Away(approver.away_until) if approver and is_away else None,
            reason=request.reason,
        )

    async def deciders(self, request: Request) -> list[str]:
        """Return who may decide a request now, by its policy's route, the directory and the delegations."""
        policy = (await self._type(request)).policy
        metric = request.evidence.get("metric_value", stated_metric(policy, request.fields))
        amount = amount_of(policy, request.fields, metric)
        role = role_for(policy.routes, amount)
        people, barred = await self._repository.route(role), await self.barred_people(request)
        return may_decide(
            people, role=role, type_id=policy.type_id, amount=amount, now=self._unit.now, barred=barred
        )

    async def barred_people(self, request: Request) -> set[str]:
        """Return who must not decide a request: the people involved and those who want a second approver."""
        ticket = await self._unit.get(Ticket, request.ticket_id) if request.ticket_id else None
        involved = (ticket.reporter, ticket.verified_by) if ticket else ()
        policy = (await self._type(request)).policy
        objectors = await self._repository.objectors(request)
        return barred_from(policy, requester=request.requester, involved=involved) | objectors

    def ask(self, request: Request, *, at: int) -> None:
        """Schedule the approver's look at the request."""
        request.decision_due = at
        self._unit.schedule(DecideRequest(request_id=request.id), at=at, id=_decision(request))

    async def decide(self, request_id: str) -> None:
        """Make the approver's decision; an absent approver decides some time after their return."""
        request = await self._unit.get(Request, request_id)
        # Decision and expiry can be due in the same tick; the second one finds nothing left to do.
        if request is None or request.status not in AT_APPROVER:
            return
        type_ = await self._type(request)
        approver = await self._unit.get(Person, request.approver)
        if approver is not None and approver.by_hand:
            return
        if approver is not None and approver.colleague.is_away(self._unit.now):
            back_at = approver.away_until if approver.away_until is not None else self._unit.now
            self.ask(request, at=back_at + type_.decision_s)
            return
        await self.conclude(request, await self._verdict(request, type_), by=request.approver)

    async def conclude(self, request: Request, verdict: Verdict, *, by: str) -> None:
        """Close a request with a person's decision, and announce the decision and the amount it commits."""
        type_ = await self._type(request)
        await self.close(request, Status(verdict.outcome), reason_code=verdict.code, reason=verdict.reason)
        request.decided_at, request.decided_by = self._unit.now, by
        request.remedy, request.required_field = verdict.remedy, verdict.required_field
        request.required_evidence = verdict.required_evidence
        detail = verdict.reason or f"On {wording.pinned(request.evidence, request.ticket_id)}."
        await self._audit.note(request, Action(verdict.outcome), detail, by=by)
        self._unit.record(
            ApprovalDecided(
                request_id=request.id,
                type=request.type,
                ticket_id=request.ticket_id,
                subject=request.subject,
                outcome=verdict.outcome,
                activates_record=type_.activates_record,
                decided_by=by,
                reason_code=verdict.code,
            )
        )
        self._spend(request, type_, verdict)

    async def expire(self, request_id: str) -> None:
        """Expire a request that nobody decided in time."""
        request = await self._unit.get(Request, request_id)
        if request is None or request.status not in OPEN:
            return
        expires_s = (await self._type(request)).expires_s
        detail = f"It was not decided within {wording.duration(expires_s)} of its submission."
        await self.close(request, Status.EXPIRED, reason=detail)
        await self._audit.note(request, Action.EXPIRED, detail)

    async def void(self, request: Request, reason_code: str, reason: str) -> None:
        """Void a request whose pinned evidence is no longer valid."""
        await self.close(request, Status.VOIDED, reason_code=reason_code, reason=reason)
        await self._audit.note(request, Action.VOIDED, reason)

    async def void_for_quarantine(self, request: Request) -> None:
        """Void a request whose pinned metric is quarantined."""
        metric_id = request.evidence["metric_id"]
        sentence = f"{metric_id}, on which the request rests, is quarantined."
        await self.void(request, Voiding.METRIC_QUARANTINED, sentence)

    async def close(
        self, request: Request, status: Status, *, reason_code: str | None = None, reason: str | None = None
    ) -> None:
        """Give a request its final status and cancel its schedule."""
        request.status = status
        request.reason_code, request.reason = reason_code, reason
        request.waiting_for, request.decision_due = [], None
        request.version += 1
        await self._unit.cancel(_decision(request))
        await self._unit.cancel(_expiry(request))

    async def _type(self, request: Request) -> ApprovalType:
        return await Catalog(self._unit).get(request.type)

    async def _weigh(self, request: Request, facts: Facts) -> None:
        request.waiting_for = facts.missing(self._unit.now)
        request.subject = facts.ticket.subject if facts.ticket else None
        if not request.waiting_for:
            await self._hand_over(request, facts)

    async def _hand_over(self, request: Request, facts: Facts) -> None:
        request.status, request.waiting_for = Status.PENDING, []
        request.evidence = {**request.evidence, **facts.evidence()}
        request.subject = facts.ticket.subject if facts.ticket else None
        request.version += 1
        self.ask(request, at=(due := self._unit.now + facts.type_.decision_s))
        rests_on = wording.pinned(request.evidence, request.ticket_id)
        detail = f"Passed to {request.approver} with {rests_on}; decision due {to_iso(due)}."
        await self._audit.note(request, Action.RELEASED, detail)
        if await self._rests_on_a_quarantined_metric(request):
            await self.void_for_quarantine(request)

    async def _rests_on_a_quarantined_metric(self, request: Request) -> bool:
        metric_id = request.evidence["metric_id"]
        known = await self._unit.get(QuarantinedMetric, metric_id) if metric_id else None
        return known is not None and known.active

    async def _verdict(self, request: Request, type_: ApprovalType) -> Verdict:
        objections = await self._repository.objections(request)
        attempt = Attempt(
            number=request.attempt,
            approver=request.approver,
            fields=request.fields,
            attached=request.attached,
            objectors=await self._repository.objectors(request),
        )
        pending = PendingRequest(
            fields=request.fields,
            metric=request.evidence.get("metric_value"),
            approver=request.approver,
            deciders=await self.deciders(request),
            ticket_id=request.ticket_id,
            objection=open_objection(objections, attempt),
        )
        return decide(type_.policy, pending)

    def _spend(self, request: Request, type_: ApprovalType, verdict: Verdict) -> None:
        cost_centre = request.fields.get(type_.budget_field or "")
        amount = amount_of(type_.policy, request.fields, request.evidence.get("metric_value"))
        if verdict.outcome == Outcome.APPROVED and isinstance(cost_centre, str) and amount is not None:
            self._unit.record(BudgetConsumed(request_id=request.id, cost_centre=cost_centre, amount=amount))


def _decision(request: Request) -> str:
    return f"decision:{request.id}"


def _expiry(request: Request) -> str:
    return f"expiry:{request.id}"
