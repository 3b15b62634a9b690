"""The approver, and perhaps the delegate, is away: for days, for minutes, or without a valid delegation."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from companyos.sdk.approval_task import checks
from companyos.sdk.approval_task.builder import TaskBuilder
from companyos.sdk.approval_task.delegation import Link
from companyos.sdk.approval_task.facts import TaskFacts
from companyos.sdk.approval_task.route import Absence, Chain, Route
from companyos.sdk.approval_task.second_approver import hire_co_holder
from companyos.sdk.chaos import FaultId
from companyos.sdk.company import Person, new_name
from companyos.sdk.scenario import InjectedFault, Predicate

from .business_fault import BusinessFault

#: Steps: at most two waits and one more lookup. Every agent looks up the holder anyway.
_COST = 3


class OooApprover(BusinessFault):
    """Makes every possible approver absent, and a drawn number of delegates."""

    fault = FaultId.OOO_APPROVER

    def fits(self, facts: TaskFacts, builder: TaskBuilder) -> bool:
        """Fits every task except the original, whose brief states who is away."""
        return not builder.original

    def apply(self, facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
        """Replace the end of each route by a chain of people who are absent in the drawn way."""
        tails: dict[str, tuple[Link, ...]] = {}
        firsts = {role: _first(route) for role, route in builder.routes.items()}
        for role, route in builder.routes.items():
            first = builder.person(firsts[role])
            if first.id not in tails:
                # A person on two chains would have to be absent in two ways.
                taken = {*firsts.values(), *(link.person for tail in tails.values() for link in tail)}
                tails[first.id] = self._tail(facts, builder, first, route.amount, taken)
            builder.routes[role] = self._route(builder, route, (*_kept(route), *tails[first.id]))
        injected = InjectedFault(
            fault=self.fault,
            shown_by=tuple(route.holder for route in builder.routes.values()),
            repairs=("datahub_get_approver", "datahub_get_person", "wait"),
            overcome=checks.is_approved(facts),
            cost=_COST + max(map(len, tails.values())),
            codes=("approver_away",),
        )
        facts = replace(facts, route=builder.routes[facts.route.role])
        return replace(facts, faults=(*facts.faults, injected))

    def overcome(self, facts: TaskFacts) -> Predicate:
        """Overcome once an authorized approver has approved."""
        return checks.is_approved(facts)

    def _tail(
        self,
        facts: TaskFacts,
        builder: TaskBuilder,
        first: Person,
        amount: int | None,
        taken: Collection[str],
    ) -> tuple[Link, ...]:
        params, draws = self.params(builder), builder.draws
        depth = draws.integer(f"{self.fault}.depth", 1, int(params["depth"]), first.role)
        kinds = [Absence.COVERED, Absence.BRIEF, Absence.UNCOVERED]
        kinds += [Absence.CIRCULAR] * 2 if params["cycle"] and depth > 1 else []
        absence = draws.choice(f"{self.fault}.kind", kinds, first.role)
        builder.company.recall(first)
        people = [first, *_stand_ins(builder, first, depth - (absence is Absence.CIRCULAR), taken)]
        return Chain(builder.company, facts.type_id, amount).lay(people, absence, first.role)

    def _route(self, builder: TaskBuilder, route: Route, links: tuple[Link, ...]) -> Route:
        circular = not links[-1].covers and links[-1].back_at > builder.company.start
        others = (hire_co_holder(builder, route).id,) if circular else ()
        return replace(route, links=links, others=others)


FAULT = OooApprover()


def _kept(route: Route) -> tuple[Link, ...]:
    """Return the links up to the last barred person: those that lead to the approver."""
    barred = [index for index, link in enumerate(route.links) if link.barred]
    return route.links[: max(barred, default=-1) + 1]


def _first(route: Route) -> str:
    """Return who would decide if nobody were away."""
    return route.links[len(_kept(route))].person


def _stand_ins(builder: TaskBuilder, first: Person, count: int, taken: Collection[str]) -> Sequence[Person]:
    """Return a chain of deputies: the current deputy if one is enough and is free, otherwise new people."""
    company, deputy = builder.company, builder.cast.deputy(first.role)
    if count == 1 and builder.cast.offices.get(first.role) == first and deputy.id not in taken:
        return [deputy]
    return [
        company.hire(new_name(company, f"stand_in.{first.role}", number), "deputy", first.team)
        for number in range(count)
    ]
