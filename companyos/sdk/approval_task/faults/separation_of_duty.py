"""The approver reported the ticket, so another person must decide."""

from dataclasses import replace

from companyos.sdk.approval_task import checks
from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.delegation import Link
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.approval_task.route import Absence, Chain, Route
from companyos.sdk.chaos import FaultId
from companyos.sdk.company import Person
from companyos.sdk.scenario import InjectedFault, Predicate

from .business_fault import BusinessFault

#: Steps: meet a refusal, look up the barred person's delegation, look up their delegate.
_COST = 3


class SeparationOfDuty(BusinessFault):
    """Makes one person both the reporter and the approver on every route; their delegate decides instead."""

    fault = FaultId.SEPARATION_OF_DUTY

    def fits(self, facts: TaskFacts, builder: TaskBuilder) -> bool:
        """Fits every task except the original, whose brief states who decides."""
        return not builder.original

    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Make the approver of each route the reporter, and give them a delegate."""
        reporter = self._reporter(builder)
        successor = builder.cast.deputy(reporter.role)
        for role, route in builder.routes.items():
            builder.routes[role] = _bar(facts, builder, route, reporter, successor)
        builder.company.report(facts.ticket, reporter)
        injected = InjectedFault(
            fault=self.fault,
            shown_by=(reporter.id,),
            repairs=("datahub_get_approver", "datahub_get_person"),
            overcome=checks.is_approved(facts),
            cost=_COST,
            codes=("separation_of_duties",),
        )
        facts = replace(facts, route=builder.routes[facts.route.role])
        return replace(facts, faults=(*facts.faults, injected))

    def overcome(self, facts: TaskFacts) -> Predicate:
        """Overcome once another authorized approver has approved."""
        return checks.is_approved(facts)

    def _reporter(self, builder: TaskBuilder) -> Person:
        """Return a present holder of one of the roles, or a deputy if no holder is present."""
        here = [route for route in builder.routes.values() if route.back_at <= builder.company.start]
        if here:
            return builder.person(builder.draws.choice(f"{self.fault}.role", here).holder)
        return builder.person(next(iter(builder.routes.values())).links[-1].person)


FAULT = SeparationOfDuty()


def _bar(facts: TaskFacts, builder: TaskBuilder, route: Route, reporter: Person, successor: Person) -> Route:
    """Extend a route to the reporter, who must not decide, and then to the reporter's delegate."""
    company, holder = builder.company, builder.person(route.holder)
    chain = Chain(company, facts.type_id, route.amount)
    lead: tuple[Link, ...] = ()
    if holder != reporter:
        company.recall(holder)
        lead = chain.lay([holder, reporter], Absence.COVERED, holder.role)[:1]
    chain.delegate(reporter, successor, reporter.role)
    barred = Link(reporter.id, company.start, covers=True, barred=True)
    return replace(route, links=(*lead, barred, Link(successor.id, company.start)))
