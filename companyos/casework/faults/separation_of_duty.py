"""Who would decide has reported the ticket, so that somebody else has to."""

from dataclasses import replace

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.route import Absence, Chain, Link, Route
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.company import Person
from companyos.scenario import Predicate, Trouble

from .befalling import Befalling

#: Steps: a refusal, the barred person's delegation, who stands in for them.
_COST = 3


class SeparationOfDuty(Befalling):
    """Has one person report the ticket to whom the routes of every role lead; their delegate decides instead."""

    fault = FaultId.SEPARATION_OF_DUTY

    def fits(self, case: Case, setting: Setting) -> bool:
        """Fit all but the original, where it is told who decides."""
        return not setting.original

    def befall(self, case: Case, setting: Setting) -> Case:
        """Make the reporter of whom each route leads to, and have somebody stand in for them."""
        reporter = self._reporter(setting)
        successor = setting.cast.deputy(reporter.role)
        for role, route in setting.routes.items():
            setting.routes[role] = _bar(case, setting, route, reporter, successor)
        setting.company.report(case.ticket, reporter)
        trouble = Trouble(
            fault=self.fault,
            shown_by=(reporter.id,),
            repairs=("datahub_get_approver", "datahub_get_person"),
            overcome=checks.is_approved(case),
            cost=_COST,
            codes=("separation_of_duties",),
        )
        case = replace(case, route=setting.routes[case.route.role])
        return replace(case, troubles=(*case.troubles, trouble))

    def overcome(self, case: Case) -> Predicate:
        """It is overcome once somebody else who may has approved."""
        return checks.is_approved(case)

    def _reporter(self, setting: Setting) -> Person:
        """Return the holder of one of the roles who is here; where none is, who stands in."""
        here = [route for route in setting.routes.values() if route.back_at <= setting.company.start]
        if here:
            return setting.person(setting.draws.choice(f"{self.fault}.role", here).holder)
        return setting.person(next(iter(setting.routes.values())).links[-1].person)


BEFALLING = SeparationOfDuty()


def _bar(case: Case, setting: Setting, route: Route, reporter: Person, successor: Person) -> Route:
    """Lead a route to the reporter, who must not decide, and on to who stands in for them."""
    company, holder = setting.company, setting.person(route.holder)
    chain = Chain(company, case.type_id, route.amount)
    lead: tuple[Link, ...] = ()
    if holder != reporter:
        company.recall(holder)
        lead = chain.lay([holder, reporter], Absence.COVERED, holder.role)[:1]
    chain.delegate(reporter, successor, reporter.role)
    barred = Link(reporter.id, company.start, covers=True, barred=True)
    return replace(route, links=(*lead, barred, Link(successor.id, company.start)))
