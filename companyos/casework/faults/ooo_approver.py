"""Who decides is away, and so perhaps is who stands in: for days, for minutes, or without enough of a delegation."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from companyos.casework import checks
from companyos.casework.case import Case
from companyos.casework.route import Absence, Chain, Link, Route
from companyos.casework.seconds import hire_co_holder
from companyos.casework.setting import Setting
from companyos.chaos import FaultId
from companyos.company import Person, new_name
from companyos.scenario import Predicate, Trouble

from .befalling import Befalling

#: Steps: the holder is looked up in any case; here they are waited for, twice at most, and looked up again.
_COST = 3


class OooApprover(Befalling):
    """Sends away who holds the roles that may come to decide, and as many of those who stand in as are drawn."""

    fault = FaultId.OOO_APPROVER

    def fits(self, case: Case, setting: Setting) -> bool:
        """Fit all but the original, where it is told who is away."""
        return not setting.original

    def befall(self, case: Case, setting: Setting) -> Case:
        """Lay the end of each route again, those on it away in a drawn way."""
        tails: dict[str, tuple[Link, ...]] = {}
        firsts = {role: _first(route) for role, route in setting.routes.items()}
        for role, route in setting.routes.items():
            first = setting.person(firsts[role])
            if first.id not in tails:
                # Whoever is on two chains would have to be away in two ways.
                taken = {*firsts.values(), *(link.person for tail in tails.values() for link in tail)}
                tails[first.id] = self._tail(case, setting, first, route.amount, taken)
            setting.routes[role] = self._route(setting, route, (*_kept(route), *tails[first.id]))
        trouble = Trouble(
            fault=self.fault,
            shown_by=tuple(route.holder for route in setting.routes.values()),
            repairs=("datahub_get_approver", "datahub_get_person", "wait"),
            overcome=checks.is_approved(case),
            cost=_COST + max(map(len, tails.values())),
            codes=("approver_away",),
        )
        case = replace(case, route=setting.routes[case.route.role])
        return replace(case, troubles=(*case.troubles, trouble))

    def overcome(self, case: Case) -> Predicate:
        """It is overcome once somebody who may has approved."""
        return checks.is_approved(case)

    def _tail(
        self, case: Case, setting: Setting, first: Person, amount: int | None, taken: Collection[str]
    ) -> tuple[Link, ...]:
        params, draws = self.params(setting), setting.draws
        depth = draws.integer(f"{self.fault}.depth", 1, int(params["depth"]), first.role)
        kinds = [Absence.COVERED, Absence.BRIEF, Absence.UNCOVERED]
        kinds += [Absence.CIRCULAR] * 2 if params["cycle"] and depth > 1 else []
        absence = draws.choice(f"{self.fault}.kind", kinds, first.role)
        setting.company.recall(first)
        people = [first, *_stand_ins(setting, first, depth - (absence is Absence.CIRCULAR), taken)]
        return Chain(setting.company, case.type_id, amount).lay(people, absence, first.role)

    def _route(self, setting: Setting, route: Route, links: tuple[Link, ...]) -> Route:
        circular = not links[-1].covers and links[-1].back_at > setting.company.start
        others = (hire_co_holder(setting, route).id,) if circular else ()
        return replace(route, links=links, others=others)


BEFALLING = OooApprover()


def _kept(route: Route) -> tuple[Link, ...]:
    """Return the links up to the last who must not decide: those that lead to who would."""
    barred = [place for place, link in enumerate(route.links) if link.barred]
    return route.links[: max(barred, default=-1) + 1]


def _first(route: Route) -> str:
    """Return who would decide, were nobody away."""
    return route.links[len(_kept(route))].person


def _stand_ins(setting: Setting, first: Person, count: int, taken: Collection[str]) -> Sequence[Person]:
    """Return so many people who can stand in, one for the other: the one there is and is not taken, or new ones."""
    company, deputy = setting.company, setting.cast.deputy(first.role)
    if count == 1 and setting.cast.offices.get(first.role) == first and deputy.id not in taken:
        return [deputy]
    return [
        company.hire(new_name(company, f"stand_in.{first.role}", number), "deputy", first.team)
        for number in range(count)
    ]
