"""A chain of tickets blocks the goal's ticket; the last one is free, or has an external blocker."""

from dataclasses import replace
from typing import Any, Final

from companyos.sdk.approval_task import checks
from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.external_blockers import wait_for_decision, wait_for_metric
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.chaos import FaultId
from companyos.sdk.company import Row
from companyos.sdk.scenario import InjectedFault

from .business_fault import BusinessFault

_TICKET: Final = "ticket"
#: Steps: look at a blocker, verify it, complete it, resolve it.
_COST_OF_TICKET: Final = 4
#: Steps for a ticket: as above. For an approval: look, wait, look again, resolve. For data: read, refresh,
#: wait, read again, resolve. With an external blocker at the end, the agent must also complete the ticket
#: before it.
_COST_OF_LAST: Final = {_TICKET: _COST_OF_TICKET, "approval": 4, "data": 5}
#: The blockers that are not tickets.
_WAITS: Final = {"approval": wait_for_decision, "data": wait_for_metric}
#: The states of the last blocker: done, and perhaps verified.
_UNVERIFIED: Final[dict[str, Any]] = {
    "status": "done",
    "acts": ("assigned", "transitioned", "transitioned"),
}
_VERIFIED: Final[dict[str, Any]] = {
    "status": "done",
    "acts": ("assigned", "verified", "transitioned", "transitioned"),
    "evidence": "Checked the result.",
}
#: The state of a blocker that is itself blocked.
_WAITING: Final[dict[str, Any]] = {"status": "triage", "acts": ("assigned", "transitioned", "blocked")}


class BlockedTicket(BusinessFault):
    """Adds a chain of blockers to the goal's ticket, or to the ticket that already blocks it."""

    fault = FaultId.BLOCKED_TICKET

    def is_offered(self, facts: TaskFacts, builder: TaskBuilder) -> bool:
        """Offered where the profile and the packs allow some kind of blocker."""
        return bool(self._kinds(builder))

    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Write the chain: each ticket is blocked by the next, and the last link is of the drawn kind."""
        draws, groundwork = builder.draws, builder.company.content.groundwork
        longest = min(self.params(builder)["depth"], len(groundwork.jobs)) if groundwork else 1
        depth = draws.integer(f"{self.fault}.depth", 1, longest)
        kind = draws.choice(f"{self.fault}.kind", self._kinds(builder))
        chain = self._chain(facts, builder, depth, ends=kind == _TICKET)
        waiting = [facts.ticket, *facts.blockers, *chain]
        for blocked, blocker in zip(waiting[len(facts.blockers) :], chain, strict=False):
            builder.company.block(blocked, blocker)
        awaits = None if kind == _TICKET else _WAITS[kind](builder, waiting[-1], str(self.fault))
        injected = InjectedFault(
            fault=self.fault,
            shown_by=(*(blocker["id"] for blocker in chain), *((awaits.id,) if awaits else ())),
            repairs=("ticketdesk_resolve_blocker", "ticketdesk_verify_ticket"),
            overcome=checks.is_unblocked(facts),
            cost=_COST_OF_TICKET * (depth - 1) + _COST_OF_LAST[kind] + (len(facts.blockers) if awaits else 0),
            codes=("ticket_blocked", "blocker_unresolved"),
        )
        blockers, faults = (*facts.blockers, *chain), (*facts.faults, injected)
        return replace(facts, blockers=blockers, awaits=awaits, faults=faults)

    def _kinds(self, builder: TaskBuilder) -> list[str]:
        """Return the kinds of the last link that both the profile and the packs allow."""
        content = builder.company.content
        there = {
            _TICKET: content.groundwork is not None,
            "approval": bool(content.side_requests),
            "data": bool(content.side_metrics),
        }
        return [kind for kind in self.params(builder)["kind"] if there[kind]]

    def _chain(self, facts: TaskFacts, builder: TaskBuilder, depth: int, *, ends: bool) -> tuple[Row, ...]:
        """Write a chain of this depth; if it `ends`, its last link is a ticket that nothing blocks."""
        groundwork = builder.company.content.groundwork
        if groundwork is None:
            return ()
        jobs = builder.draws.sample(f"{self.fault}.titles", groundwork.jobs, depth)
        chain = [self._write(facts, builder, groundwork.kind, job, ended=False) for job in jobs[:-1]]
        last = [self._write(facts, builder, groundwork.kind, jobs[-1], ended=True)] if ends else []
        return (*chain, *last)

    def _write(
        self, facts: TaskFacts, builder: TaskBuilder, kind: str, job: tuple[str, str], *, ended: bool
    ) -> Row:
        title, outcome = job
        return builder.new_ticket(
            kind,
            title.format(name=facts.record["name"]),
            outcome if ended else f"{outcome} It only waits for what blocks it.",
            facts.record,
            priority="medium",
            assignee=builder.cast.worker.id,
            **(self._ended(builder) if ended else _WAITING),
        )

    def _ended(self, builder: TaskBuilder) -> dict[str, Any]:
        if builder.draws.chance(f"{self.fault}.verified", 0.25):
            return {**_VERIFIED, "verified_by": builder.cast.checker.id}
        return _UNVERIFIED


FAULT = BlockedTicket()
