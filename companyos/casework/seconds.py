"""Who decides once somebody who could has asked for a second approver: on every route there is always one more."""

from dataclasses import replace

from companyos.company import Person, names, new_name
from companyos.simtime import DAY

from .case import Case
from .route import Chain, Link, Route
from .setting import Setting


def provide_seconds(case: Case, setting: Setting) -> Case:
    """Have somebody else decide on each route wherever one of those who may counts as away, and return the case."""
    stand_ins: dict[str, Person] = {}
    for role, route in setting.routes.items():
        setting.routes[role] = _with_second(case, setting, route, stand_ins)
    return replace(case, route=setting.routes[case.route.role])


def hire_co_holder(setting: Setting, route: Route) -> Person:
    """Hire another holder of a route's role, whom the directory names after the first."""
    company, holder = setting.company, setting.person(route.holder)
    taken = {person.name for person in company.people}
    last = company.draws.choice("co_holder.last", names.LAST, holder.role)
    later = [
        name
        for first in names.FIRST
        if (name := f"{first} {last}") not in taken and ".".join(name.lower().split()) > holder.id
    ]
    # Nobody's first name may come after the holder's; a longer form of the holder's own name always does.
    longer = [name for end in ("Junior", "Senior") if (name := f"{holder.name} {end}") not in taken]
    name = company.draws.choice("co_holder.name", later, holder.role) if later else longer[0]
    return company.hire(name, holder.role, holder.team)


def _with_second(case: Case, setting: Setting, route: Route, stand_ins: dict[str, Person]) -> Route:
    """Return a route with one more who may decide.

    A circular one gets another co-holder. One that breaks off gets a co-holder who is back together with the first on
    it, so that there is still nobody to ask before. Any other is led on from its end.
    """
    if route.others:
        return replace(route, others=(*route.others, hire_co_holder(setting, route).id))
    if not all(link.covers for link in route.links[:-1]):
        return _with_returner(setting, route)
    return _led_on(case, setting, route, stand_ins)


def _with_returner(setting: Setting, route: Route) -> Route:
    """Have a co-holder be back at the time at which somebody on the route is, the first of those it leads to."""
    end = next(place for place, link in enumerate(route.links) if not link.covers)
    back_at = min(link.back_at for link in route.links[: end + 1] if not link.barred)
    company, other = setting.company, hire_co_holder(setting, route)
    company.send_away(
        other, company.start - company.draws.integer("co_holder.left", 1, 6) * DAY, back_at, "conference"
    )
    return replace(route, others=(other.id,), others_at=back_at)


def _led_on(case: Case, setting: Setting, route: Route, stand_ins: dict[str, Person]) -> Route:
    """Have somebody new stand in for the last on the route, who may be the last on another one too."""
    company, last = setting.company, setting.person(route.links[-1].person)
    if last.id not in stand_ins:
        stand_ins[last.id] = company.hire(new_name(company, "second", len(stand_ins)), "deputy", last.team)
        Chain(company, case.type_id, route.amount).delegate(last, stand_ins[last.id], last.role)
    second = Link(stand_ins[last.id].id, company.start)
    return replace(route, links=(*route.links[:-1], replace(route.links[-1], covers=True), second))
