"""Second approvers: one more person on every route, who decides after an approver has asked for another."""

from dataclasses import replace

from companyos.sdk.company import Person, new_name
from companyos.sdk.simtime import DAY

from .builder import TaskBuilder
from .delegation import Link
from .facts import TaskFacts
from .route import Chain, Route


def provide_second_approvers(facts: TaskFacts, builder: TaskBuilder) -> TaskFacts:
    """Add a second approver to each route, and return the new facts."""
    stand_ins: dict[str, Person] = {}
    for role, route in builder.routes.items():
        builder.routes[role] = _with_second(facts, builder, route, stand_ins)
    return replace(facts, route=builder.routes[facts.route.role])


def hire_co_holder(builder: TaskBuilder, route: Route) -> Person:
    """Hire another holder of a route's role, whose id sorts after the first holder's."""
    company, holder = builder.company, builder.person(route.holder)
    taken = {person.name for person in company.people}
    workplace = company.content.workplace
    last = company.draws.choice("co_holder.last", workplace.last_names, holder.role)
    later = [
        name
        for first in workplace.first_names
        if (name := f"{first} {last}") not in taken and ".".join(name.lower().split()) > holder.id
    ]
    # The new id must sort after the holder's; a longer form of the holder's own name always does.
    longer = [name for end in ("Junior", "Senior") if (name := f"{holder.name} {end}") not in taken]
    name = company.draws.choice("co_holder.name", later, holder.role) if later else longer[0]
    return company.hire(name, holder.role, holder.team)


def _with_second(facts: TaskFacts, builder: TaskBuilder, route: Route, stand_ins: dict[str, Person]) -> Route:
    """Return a route with one more authorized person.

    A circular route gets another co-holder. A broken route gets a co-holder who returns together with the first
    person on it, so that nobody can be asked earlier. Any other route is extended at its end.
    """
    if route.others:
        return replace(route, others=(*route.others, hire_co_holder(builder, route).id))
    if not all(link.covers for link in route.links[:-1]):
        return _with_returner(builder, route)
    return _led_on(facts, builder, route, stand_ins)


def _with_returner(builder: TaskBuilder, route: Route) -> Route:
    """Add a co-holder who returns at the same time as the first absent person on the route."""
    end = next(index for index, link in enumerate(route.links) if not link.covers)
    back_at = min(link.back_at for link in route.links[: end + 1] if not link.barred)
    company, other = builder.company, hire_co_holder(builder, route)
    company.send_away(
        other,
        company.start - company.draws.integer("co_holder.left", 1, 6) * DAY,
        back_at,
        company.content.workplace.leaves[-1],
    )
    return replace(route, others=(other.id,), others_at=back_at)


def _led_on(facts: TaskFacts, builder: TaskBuilder, route: Route, stand_ins: dict[str, Person]) -> Route:
    """Give the last person on the route a new delegate, or reuse the one they got for another route."""
    company, last = builder.company, builder.person(route.links[-1].person)
    if last.id not in stand_ins:
        stand_ins[last.id] = company.hire(new_name(company, "second", len(stand_ins)), "deputy", last.team)
        Chain(company, facts.type_id, route.amount).delegate(last, stand_ins[last.id], last.role)
    second = Link(stand_ins[last.id].id, company.start)
    return replace(route, links=(*route.links[:-1], replace(route.links[-1], covers=True), second))
